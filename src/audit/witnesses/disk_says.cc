// Checks a difference found by another account with the disk's own counters, and whether these counters are usable.
#include <fmt/format.h>

#include <algorithm>

#include "audit/text.h"
#include "audit/witnesses/witness.h"

namespace fathom::audit::witnesses {
namespace {

using result::Verdict;

// iostats was off at the start or the end of the measured interval. A disk that counts anyway (zram) is usable.
bool switched_off(const Case& c, const std::string& disk) {
  const auto* off = find(c.counts, "block", disk, "iostats_off");
  if (off == nullptr || off->value <= 0) return false;
  const bool all_the_time = off->value >= 2;
  const bool counted =
      value(find(c.counts, "block", disk, "read_ios")) + value(find(c.counts, "block", disk, "write_ios")) > 0;
  return !(all_the_time && counted);
}

// The disk's surplus over the run's bytes, minus other processes, file systems and earlier writes.
double nobodys(const Case& c, const std::vector<JobPair>& jobs, Way way, double surplus) {
  if (surplus <= 0) return 0;
  surplus -= foreign_processes_on(c.counts, disks_of(jobs), way, surplus).bytes;
  if (way == Way::write)
    surplus -= moved(jobs, way).metadata.disk_bytes + value(find(c.counts, "memory", "", "dirty_begin"));
  return std::max(0.0, surplus);
}

}  // namespace

bool conclude_switched_off(const Case& c, const std::vector<std::string>& disks, Witness& w) {
  const auto off = std::find_if(disks.begin(), disks.end(), [&](const auto& disk) { return switched_off(c, disk); });
  if (off == disks.end()) return false;
  conclude(w, Verdict::no_witness, "switched_off",
           fmt::format("/sys/block/{}/queue/iostats is 0: the counters of {} are off", *off, *off));
  return true;
}

std::optional<double> disk_surplus(const Case& c, const std::vector<JobPair>& jobs, Way way) {
  const auto disks = disks_of(jobs);
  if (disks.empty()) return std::nullopt;
  double surplus = 0;
  for (const auto& disk : disks) {
    const auto* count = find(c.counts, "block", disk, column_of(way));
    if (count == nullptr || count->lost_at_s || switched_off(c, disk)) return std::nullopt;
    surplus += count->value;
  }
  for (const auto& pair : c.jobs)
    if (meet(pair.reach->disks, disks)) surplus -= moved({pair}, way).bytes;
  return std::max(0.0, surplus);
}

namespace {

bool has_as_engine(const Case& c, const std::vector<JobPair>& jobs, Way way, const std::string& but) {
  const double bytes = moved(jobs, way).bytes, least = (1 - kMostAgreed) * bytes, most = (1 + kMostAgreed) * bytes;
  if (but != "process")
    if (const auto own = judge_process(c, jobs, way); own && own->verdict != Verdict::no_witness)
      return own->seen_bytes >= least && own->seen_bytes <= most;
  if (but == "block") return false;
  const auto disks = disks_of(jobs);
  double seen = 0;  // may include other processes' bytes
  for (const auto& disk : disks) {
    const auto* count = find(c.counts, "block", disk, column_of(way));
    if (count == nullptr || count->lost_at_s || switched_off(c, disk)) return false;
    seen += count->value;
  }
  for (const auto& pair : c.jobs) {
    const bool other = std::none_of(jobs.begin(), jobs.end(), [&](const auto& own) { return own.job == pair.job; });
    if (other && meet(pair.reach->disks, disks)) seen -= moved({pair}, way).bytes;
  }
  return seen >= least;
}

}  // namespace

bool conclude_unit_error(const Case& c, const std::vector<JobPair>& jobs, Way way, Witness& w, const std::string& who) {
  return has_as_engine(c, jobs, way, w.source) && conclude_unit_error(w, who);
}

bool conclude_counted_twice(const Case& c, const std::vector<JobPair>& jobs, Way way, Witness& w) {
  const double twice = rest(w);
  const Moved m = moved(jobs, way);
  if (twice <= w.tolerance_bytes || twice > m.retried_bytes + m.metadata.charged_bytes + w.tolerance_bytes)
    return false;
  const auto on_disk = disk_surplus(c, jobs, way);
  if (!on_disk) {
    conclude(
        w, Verdict::no_witness, "",
        fmt::format(
            "{} more were counted than moved: I/Os that io_uring submitted twice, or bytes that the engine does not "
            "count; no disk's counters tell which",
            bytes_text(twice)));
    return true;
  }
  if (nobodys(c, jobs, way, *on_disk) > twice / 2 + w.tolerance_bytes) return false;
  explain(w, "counted twice", twice,
          fmt::format("at most {}; the disk counted each once", bytes_text(m.retried_bytes)));
  conclude(
      w, Verdict::explained, kCountedTwice,
      fmt::format("{} were submitted twice and reached the disk once: io_uring first submits without waiting, and what "
                  "does not fit the device's largest request or its queue is submitted again by a kernel thread",
                  bytes_text(twice)));
  return true;
}

}  // namespace fathom::audit::witnesses
