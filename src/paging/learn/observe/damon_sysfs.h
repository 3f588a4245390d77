// One kdamond through sysfs (Documentation/admin-guide/mm/damon/usage.rst), with one region per page. DAMON then checks
// each page in every sampling interval and has nothing to merge or split, so its counts are those of single pages. Used
// only if DAMON has no other user. The destructor restores the previous state. After a SIGKILL, undo_left_damon()
// restores it at the next start of any `fathom paging`, from a note in /run (damon_note.h). Thread rule: one thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "paging/learn/observe/damon_note.h"

namespace fathom::paging::learn::observe {

inline constexpr char kDamonFolder[] = "/sys/kernel/mm/damon/admin";
inline constexpr char kDamonNote[] = "/run/fathom-damon";

struct DamonPlan {
  std::string operations;            // "fvaddr", "paddr"
  int pid = 0;                       // fvaddr
  std::vector<std::uint64_t> pages;  // addresses, ascending; at least three
  std::uint64_t sample_us = 0;
  unsigned samples = 0;  // per aggregation
};

class Damon {
 public:
  explicit Damon(std::string folder = kDamonFolder, std::string note = kDamonNote,
                 std::string symbols = "/proc/kallsyms")
      : folder_(std::move(folder)), note_(std::move(note)), symbols_(std::move(symbols)) {}
  Damon(const Damon&) = delete;
  Damon& operator=(const Damon&) = delete;
  ~Damon() { restore(); }

  // Why DAMON is unavailable for these operations; nullopt: available. Changes nothing.
  std::optional<std::string> cause_against(const std::string& operations) const;
  // Also changes the plan. Errors: refused (DAMON has another user), io.
  base::Expected<void> start(const DamonPlan& plan);
  // Waits for the end of the running aggregation. Returns in how many of its samples each page was touched. Errors: io.
  base::Expected<std::vector<std::uint16_t>> counts();
  // The same wait without reading the counts.
  base::Expected<void> pass();
  void restore();

 private:
  base::Expected<void> write(const std::string& file, const std::string& value) const;
  base::Expected<void> write_regions(const DamonPlan& plan) const;
  base::Expected<void> write_plan(const DamonPlan& plan) const;
  std::vector<std::uint16_t> read_counts() const;
  bool is_on() const;

  std::string folder_, note_, symbols_;
  std::size_t regions_ = 0;
  std::optional<DamonNote> taken_;
};

// After a program that was killed. Restores the state only if it matches that program's note, or if the program had set
// nothing up yet. Otherwise leaves it alone and removes the note.
struct DamonLeft {
  enum class Outcome { nothing, restored, left_alone, failed } outcome = Outcome::nothing;
  std::string says;  // a sentence; "": nothing was left
};
// The process that has ended but left its observation set up; 0: no such process. Changes nothing.
int left_damon(const std::string& note = kDamonNote);
DamonLeft undo_left_damon(const std::string& folder = kDamonFolder, const std::string& note = kDamonNote);

}  // namespace fathom::paging::learn::observe
