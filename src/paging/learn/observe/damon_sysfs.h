// One kdamond through sysfs (Documentation/admin-guide/mm/damon/usage.rst), with a region a page: DAMON then checks
// each of them in every sampling interval and has nothing to merge or split, so its counts are those of single pages.
// Taken only where nobody else uses DAMON; restored when the object goes, and, after a SIGKILL, by undo_left_damon() at
// the next start of any `fathom paging`: a note in /run says what was set up (damon_note.h). Thread rule: one thread.
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
  unsigned samples = 0;  // an aggregation
};

class Damon {
 public:
  explicit Damon(std::string folder = kDamonFolder, std::string note = kDamonNote,
                 std::string symbols = "/proc/kallsyms")
      : folder_(std::move(folder)), note_(std::move(note)), symbols_(std::move(symbols)) {}
  Damon(const Damon&) = delete;
  Damon& operator=(const Damon&) = delete;
  ~Damon() { restore(); }

  // Why it cannot be had for these operations; nothing: it can. Changes nothing.
  std::optional<std::string> cause_against(const std::string& operations) const;
  // Errors: refused (somebody else uses it), io. Also to change the plan.
  base::Expected<void> start(const DamonPlan& plan);
  // Waits for the end of the running aggregation: in how many of its samples each page was touched. Errors: io.
  base::Expected<std::vector<std::uint16_t>> counts();
  // The same wait without reading what came of it.
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

// After a program that was killed. What is there is restored only if it is what that program's note says; otherwise it
// is left alone, and the note is dropped.
struct DamonLeft {
  enum class Outcome { nothing, restored, left_alone, failed } outcome = Outcome::nothing;
  std::string says;  // a sentence; "" where nothing was left
};
// The process whose observation stands though it is no more; 0: none. Looks only.
int left_damon(const std::string& note = kDamonNote);
DamonLeft undo_left_damon(const std::string& folder = kDamonFolder, const std::string& note = kDamonNote);

}  // namespace fathom::paging::learn::observe
