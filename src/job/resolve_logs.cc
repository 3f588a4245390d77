// What an option of logs needs of the others, and of the system.
#include "job/resolve_logs.h"

#include <fmt/format.h>

#include <algorithm>

#include "job/logs.h"
#include "job/report_as.h"
#include "job/resolve.h"

namespace fathom::job {
namespace {

// linux/time.h: all but those of a process of its own.
constexpr std::uint32_t kClocks[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11};

// What is averaged in a log is sampled as often for the report: the length of the log's lines, or a shorter one that
// was asked for.
void sample_as_logged(const Draft& draft, std::string_view option, std::uint32_t& width_ms) {
  const std::uint64_t line_ms = std::min<std::uint64_t>(draft.job.of<Logs>().avg_msec, ~std::uint32_t{0});
  if (line_ms == 0 || (draft.find(option) != nullptr && width_ms < line_ms)) return;
  width_ms = static_cast<std::uint32_t>(line_ms);
}

}  // namespace

base::Expected<void> resolve_logs(Draft& draft, const Assignment& section) {
  const Logs& logs = draft.job.of<Logs>();
  auto& as = draft.job.own.get<ReportAs>();
  if (logs.bw) sample_as_logged(draft, "bwavgtime", as.bw_window_ms);
  if (logs.iops) sample_as_logged(draft, "iopsavgtime", as.iops_window_ms);
  if (logs.issue_time && !(logs.lat && logs.offset))
    return error_for(draft, section, "log_issue_time",
                     "log_issue_time option requires write_lat_log and log_offset options",
                     "when an I/O was issued is told in logs of latency, behind its offset",
                     "add `write_lat_log` and `log_offset=1`, or leave it out");
  const bool there = std::find(std::begin(kClocks), std::end(kClocks), logs.epoch_clock) != std::end(kClocks);
  if (logs.alternate_epoch && !there)
    return error_for(draft, section, "log_alternate_epoch_clock_id",
                     fmt::format("there is no clock {}", logs.epoch_clock), "clock_gettime(2) does not know it",
                     "write 0 for the time of day, 1 for CLOCK_MONOTONIC");
  return {};
}

}  // namespace fathom::job
