// --bandwidth-log: what all jobs together moved, a line a direction and sample. None while a job ramps, and none of a
// direction that did not move. The arithmetic is pure; the files are written at the end of the run.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "io/request.h"

namespace fathom::run::logs {

class AggregateLog {
 public:
  explicit AggregateLog(std::uint64_t sample_ns) : sample_ns_(sample_ns) {}
  // What was moved so far by all jobs; empty: a job ramps, or none has begun. Returns when it wants to know again.
  std::uint64_t look(std::uint64_t now_ns, const std::optional<io::PerDir<std::uint64_t>>& bytes);
  // The lines of a direction.
  const std::string& text(std::size_t dir) const { return text_[dir]; }
  // PREFIX-read_bw.log and so on, each whether or not it has lines.
  std::vector<base::Error> write(const std::string& prefix) const;

 private:
  const std::uint64_t sample_ns_;
  std::uint64_t begin_ns_ = 0, last_ns_ = 0;  // 0: nothing has begun
  io::PerDir<std::uint64_t> last_{};
  std::string text_[io::kDataDirs];
};

// The files that it writes, by direction.
std::vector<std::string> aggregate_log_names(const std::string& prefix);

}  // namespace fathom::run::logs
