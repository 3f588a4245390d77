// The state file of a sweep: what it was asked for, and each run that is over, written and synced when it is. It is read
// by people too: a line of what it is, the seed, the words of the sweep and the lines of its job behind `|`, then a line a
// run, its parts between tabs. A line that was being written when the machine stopped is cut off; the result of a run lies in a
// file of its own, which is synced before the run's line is written.
// Errors: usage: it is of another sweep (which says what differs), of a newer fathom, or no state file; io.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"

namespace fathom::sweep {

struct StateRun {
  std::string stage, setting;
  std::string result;   // its file, in the folder of the state file; empty: none
  std::string failure;  // of one without
  bool operator==(const StateRun&) const = default;
};

class StateFile {
 public:
  // Goes on with what is there, or begins. seed: of a new one. words: a difference in any of them makes another sweep.
  static base::Expected<StateFile> open(const std::string& path, std::uint64_t seed,
                                        const std::vector<std::string>& words);
  std::uint64_t seed() const { return seed_; }
  const std::vector<StateRun>& runs() const { return runs_; }  // that were there
  base::Expected<void> add(const StateRun& run);
  // The runs at the end that have no numbers are to be made again: what ended the sweep (a full disk) may be over.
  base::Expected<void> forget_failed_end();

 private:
  static std::string head(std::uint64_t seed, const std::vector<std::string>& words);
  bool is_cut_head(std::string_view text, const std::vector<std::string>& words) const;
  base::Expected<void> begin(const std::vector<std::string>& words);
  base::Expected<void> go_on(const std::string& text, const std::vector<std::string>& words);
  base::Expected<void> append(const std::string& text);
  base::Expected<void> cut(std::uint64_t bytes);
  base::Error of_another(const std::string& cause) const;

  std::string path_;
  std::uint64_t seed_ = 0;
  std::vector<StateRun> runs_;
  std::vector<std::uint64_t> begins_;  // of the line of each, in the file
  std::uint64_t bytes_ = 0;
  base::system::UniqueFd fd_;
};

// So that it outlasts a power cut: of a result before its run's line is written.
base::Expected<void> sync_file(const std::string& path);

}  // namespace fathom::sweep
