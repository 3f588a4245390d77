// --bandwidth-log: bytes moved by all jobs together, one line per direction and sample.
// There is no line while a job ramps, and no line for a direction that moved no bytes. The arithmetic is pure; write()
// writes the files at the end of the run.
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
  // bytes: moved so far by all jobs; empty: a job ramps, or no job has begun. Returns the time of the next call.
  std::uint64_t look(std::uint64_t now_ns, const std::optional<io::PerDir<std::uint64_t>>& bytes);
  // The lines of one direction.
  const std::string& text(std::size_t dir) const { return text_[dir]; }
  // Writes PREFIX-read_bw.log and so on, also for a direction without lines.
  std::vector<base::Error> write(const std::string& prefix) const;

 private:
  const std::uint64_t sample_ns_;
  std::uint64_t begin_ns_ = 0, last_ns_ = 0;  // 0: no job has begun
  io::PerDir<std::uint64_t> last_{};
  std::string text_[io::kDataDirs];
};

// The names of the files that write() creates, by direction.
std::vector<std::string> aggregate_log_names(const std::string& prefix);

}  // namespace fathom::run::logs
