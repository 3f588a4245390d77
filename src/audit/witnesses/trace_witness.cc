// Cross-check of --audit=trace: what the run's own processes submitted to the block layer of their disks. The
// submitting process distinguishes it from other I/O. Direct I/O agrees to the byte. Data served by the page cache is
// missing, and read-ahead is added. Write-back is submitted by kernel threads, so it does not count as the run's.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "audit/text.h"
#include "audit/witnesses/witness.h"

namespace fathom::audit::witnesses {
namespace {

using result::Verdict;

struct Traced {
  bool known = false;
  double own = 0;
  const result::Count* lost = nullptr;
};

// Returns 4711 for "4711 dd".
int process_of(const result::Count& count) {
  int process = 0;
  std::from_chars(count.name.data(), count.name.data() + count.name.size(), process);
  return process;
}

Traced traced(const Case& c, const std::vector<std::string>& disks, const std::vector<JobPair>& jobs, Way way) {
  Traced t;
  // If workers are separate processes, the main process submits nothing for them: it only reads its own pages.
  const bool main_submits =
      std::any_of(jobs.begin(), jobs.end(), [](const auto& j) { return j.reach->thread || j.job->pid <= 0; });
  for (const auto& count : c.counts) {
    if (count.source != "trace" || std::find(disks.begin(), disks.end(), count.subject) == disks.end()) continue;
    t.known = true;
    if (count.lost_at_s) t.lost = &count;
    if (count.direction != name(way)) continue;
    const int process = process_of(count);
    const bool own = (main_submits && process == c.facts.own_process) ||
                     std::any_of(jobs.begin(), jobs.end(), [&](const auto& j) { return j.job->pid == process; });
    if (own) t.own += count.value;
  }
  return t;
}

void judge(const Case& c, const std::vector<JobPair>& jobs, Way way, Witness& w) {
  const Moved m = moved(jobs, way);
  const double difference = rest(w);
  if (within(w)) return conclude(w, Verdict::agrees, "", "");
  if (difference < 0 && way == Way::read && conclude_missing_reads(c, jobs, w.seen_bytes, w)) return;
  if (difference < 0 && way == Way::write && -difference <= m.buffered_bytes + w.tolerance_bytes) {
    explain(w, "written back by the kernel", difference,
            fmt::format("of {} through the page cache", bytes_text(m.buffered_bytes)));
    return conclude(
        w, Verdict::explained, "write_back",
        fmt::format("{} passed through memory and was not submitted by the workers", bytes_text(-difference)));
  }
  if (difference > 0 && way == Way::read && m.buffered_ios > 0 &&
      difference <= m.read_ahead_bytes + w.tolerance_bytes) {
    explain(w, "read-ahead", difference, "pages that were read without a request");
    return conclude(w, Verdict::explained, "read_ahead",
                    fmt::format("the kernel read {} ahead of the job", bytes_text(difference)));
  }
  if (difference > 0 && way == Way::read && difference <= m.program_bytes) {
    explain(w, "pages of programs", difference,
            fmt::format("at most {} by the workers' major faults", bytes_text(m.program_bytes)));
    return conclude(w, Verdict::explained, "program_pages",
                    fmt::format("{} of program and library pages were read in", bytes_text(difference)));
  }
  if (difference > 0 && way == Way::write && difference <= m.metadata.disk_bytes) {
    explain(w, "metadata", difference, metadata_how(m));
    return conclude(w, Verdict::explained, "metadata", bytes_text(difference) + " of file system metadata");
  }
  if (difference > 0 && conclude_counted_twice(c, jobs, way, w)) return;
  if (conclude_unit_error(c, jobs, way, w, "the block layer")) return;
  conclude(w, Verdict::disagrees, difference > 0 ? "engine_count" : "missing_io",
           fmt::format("the run's processes passed {} {} to the block layer than the engine counted",
                       bytes_text(std::abs(difference)), difference > 0 ? "more" : "less"));
}

}  // namespace

void judge_traces(const Case& c, Witnesses& out) {
  for (const auto& disks : disk_sets(c.facts)) {
    std::vector<JobPair> jobs;
    for (const auto& pair : c.jobs)
      if (!pair.reach->disks.empty() && std::find(disks.begin(), disks.end(), pair.reach->disks.front()) != disks.end())
        jobs.push_back(pair);
    for (const Way way : kWays) {
      const Moved m = moved(jobs, way);
      const Traced t = traced(c, disks, jobs, way);
      if (!t.known || m.bytes <= 0) continue;
      Witness w = witness("trace", joined(disks, " + "), way);
      expect(w, "engine", m.bytes, fmt::format("{:.0f} I/Os, ramp and reading back included", m.ios));
      see(w, t.own);
      w.rule = "sectors of block_bio_queue x 512, of the run's own processes";
      tolerate(w, m);
      if (!conclude_lost(w, t.lost)) judge(c, jobs, way, w);
      out.push_back(std::move(w));
    }
  }
}

}  // namespace fathom::audit::witnesses
