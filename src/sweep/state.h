// The state file of a sweep: its parameters, and each finished run, written and synced when the run ends. People read
// it too. The first line names the format, and the second has the seed. The words of the sweep and the lines of its job
// follow, after `|`. Then each run has one line with parts separated by tabs.
// open() removes a line that was incomplete when the machine stopped. The result of a run is in a separate file, which
// is synced before the run's line is written.
// Errors: usage: the file belongs to a different sweep (the cause names the difference) or a newer fathom, is no state
// file, or another sweep uses it; io.
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
  std::string result;   // its file, in the directory of the state file; empty: none
  std::string failure;  // why it has no numbers; empty: it has numbers
  bool operator==(const StateRun&) const = default;
};

class StateFile {
 public:
  // Continues an existing file, or starts a new one. seed: for a new file. words: a file with different words belongs
  // to a different sweep.
  static base::Expected<StateFile> open(const std::string& path, std::uint64_t seed,
                                        const std::vector<std::string>& words);
  std::uint64_t seed() const { return seed_; }
  const std::vector<StateRun>& runs() const { return runs_; }  // of the existing file, then those added
  base::Expected<void> add(const StateRun& run);
  // Removes the runs without numbers at the end, so that they are repeated. The failure that ended the sweep (a full
  // disk) may be over.
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
  std::vector<std::uint64_t> begins_;  // offset of each run's line in the file
  std::uint64_t bytes_ = 0;
  base::system::UniqueFd fd_;
};

// Makes a file survive a power cut. Call it for a result before its run's line is written.
base::Expected<void> sync_file(const std::string& path);

}  // namespace fathom::sweep
