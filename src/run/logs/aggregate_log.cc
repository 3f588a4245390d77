// Derives rates from differences of counters, and writes one file per direction.
#include "run/logs/aggregate_log.h"

#include "run/logs/log_file.h"
#include "run/logs/log_rows.h"
#include "run/logs/log_text.h"

namespace fathom::run::logs {
namespace {

constexpr const char* kNames[] = {"read", "write", "trim"};

}  // namespace

std::uint64_t AggregateLog::look(std::uint64_t now_ns, const std::optional<io::PerDir<std::uint64_t>>& bytes) {
  if (!bytes) {
    last_ns_ = 0;
    return now_ns + sample_ns_ / 10;
  }
  if (begin_ns_ == 0) begin_ns_ = now_ns;
  if (last_ns_ != 0 && now_ns < last_ns_ + sample_ns_) return last_ns_ + sample_ns_;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    // The counters of a job are cleared when its ramp ends.
    const std::uint64_t moved = last_ns_ == 0 || (*bytes)[d] < last_[d] ? 0 : (*bytes)[d] - last_[d];
    if (moved == 0) continue;
    const double seconds = static_cast<double>(now_ns - last_ns_) * 1e-9;
    LogLine line;
    line.ms = (now_ns - begin_ns_) / kMillisecond_ns;
    line.value = static_cast<std::uint64_t>(static_cast<double>(moved) / 1024 / seconds);
    line.dir = static_cast<io::Dir>(d);
    append_line(line, {}, text_[d]);
  }
  last_ = *bytes;
  last_ns_ = now_ns;
  return now_ns + sample_ns_;
}

std::vector<std::string> aggregate_log_names(const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto* name : kNames) names.push_back(prefix + "-" + name + "_bw.log");
  return names;
}

std::vector<base::Error> AggregateLog::write(const std::string& prefix) const {
  const auto names = aggregate_log_names(prefix);
  std::vector<base::Error> errors;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    LogFile file(names[d], false);
    file.text() = text_[d];
    if (const int err = file.close(); err != 0) errors.push_back(base::system_error("the log " + file.path(), err));
  }
  return errors;
}

}  // namespace fathom::run::logs
