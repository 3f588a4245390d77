// Cross-checks: the device's own counters. For a controller, these are the data units of its health log, each 512,000
// bytes and rounded up. For fathom's own driver, they are the completions of its queue pairs.
#include <fmt/format.h>

#include "audit/text.h"
#include "audit/witnesses/witness.h"
#include "result/measured.h"

namespace fathom::audit::witnesses {
namespace {

using result::Verdict;
constexpr double kDataUnitBytes = 512'000;

// Disks of a kernel-driven controller contain its name: nvme0n1 belongs to nvme0.
bool disk_of(const std::string& disk, const std::string& controller) {
  return disk.starts_with(controller) && disk.size() > controller.size() && disk[controller.size()] == 'n';
}

void expect_engine(const Case& c, const std::string& device, Way way, Witness& w) {
  std::vector<JobPair> jobs;
  bool alone = true;
  for (const auto& pair : c.jobs) {
    if (!holds(pair.reach->devices, device)) continue;
    jobs.push_back(pair);
    alone &= pair.reach->devices.size() == 1;
  }
  const Moved m = moved(jobs, way);
  w.tolerance_bytes = 2 * kDataUnitBytes + m.unclear_ios * m.largest_io_bytes;
  if (alone) expect(w, "engine", m.bytes, fmt::format("{:.0f} I/Os", m.ios));
}

void expect_block(const Case& c, const std::string& controller, Way way, Witness& w) {
  const char* column = column_of(way);
  w.tolerance_bytes = 2 * kDataUnitBytes;
  for (const auto& count : c.counts)
    if (count.source == "block" && count.name == column && disk_of(count.subject, controller) && count.value > 0)
      expect(w, "block layer of " + count.subject, count.value, count.rule);
}

void judge(Witness& w) {
  w.tolerance_bytes += kNegligible * w.expected_bytes;
  if (within(w)) return conclude(w, Verdict::agrees, "", "");
  if (w.seen_bytes == 0)
    return conclude(w, Verdict::no_witness, "stale",
                    "the health log did not change: some devices update it only occasionally");
  if (conclude_unit_error(w, w.subject)) return;
  if (rest(w) > 0) {
    const double surplus = rest(w);
    explain(w, "others on " + w.subject, surplus, "other namespaces, or another host");
    return conclude(w, Verdict::explained, "foreign_io",
                    fmt::format("{} received {} more of other requests: other namespaces, or another host", w.subject,
                                bytes_text(surplus)));
  }
  conclude(w, Verdict::disagrees, "missing_io", fmt::format("{} never reached {}", bytes_text(-rest(w)), w.subject));
}

// Bytes follow from completions if all I/Os have one size and no command was split. The jobs must have no syncs, trims,
// errors or reading back.
bool countable(const result::Job& job) {
  const bool same_size =
      job.bs_min[0] == job.bs_max[0] && job.bs_min[1] == job.bs_max[1] && job.bs_min[0] == job.bs_min[1];
  return same_size && job.queue->split == 0 && job.sync_ios == 0 && job.read_back_ns == 0 && job.dirs[2].ios == 0 &&
         job.error_count == 0;
}

}  // namespace

void judge_devices(const Case& c, Witnesses& out) {
  for (const auto& count : c.counts) {
    const bool driver = count.source == "driver";
    if (!driver && count.source != "smart") continue;
    if (count.unit != "bytes") continue;
    const Way way = count.direction == "read" ? Way::read : Way::write;
    Witness w = witness(count.source, count.subject, way);
    if (driver)
      expect_engine(c, count.subject, way, w);
    else
      expect_block(c, count.subject, way, w);
    if (w.expected_bytes <= 0) continue;
    see(w, count);
    if (!conclude_lost(w, &count)) judge(w);
    out.push_back(std::move(w));
  }
}

void judge_queues(const Case& c, Witnesses& out) {
  Witness w;
  w.source = "queues";
  w.subject = "queue pairs";
  double ios = 0, completions = 0;
  for (const auto* job : single_jobs(c.run)) {
    if (!job->queue || !countable(*job)) continue;
    const double size = static_cast<double>(job->bs_min[0]);
    ios += static_cast<double>(job->dirs[0].bytes + job->dirs[1].bytes);
    completions += static_cast<double>(job->queue->completions) * size;
    w.tolerance_bytes += static_cast<double>(job->iodepth * job->queue->queue_pairs) * size;
  }
  if (ios <= 0) return;
  expect(w, "engine", ios, "measured part");
  see(w, completions);
  w.rule = "completions x block size";
  if (within(w))
    conclude(w, Verdict::agrees, "", "");
  else
    conclude(w, Verdict::disagrees, "engine_count",
             fmt::format("the queue pairs completed {}, the job counts {}", bytes_text(completions), bytes_text(ios)));
  out.push_back(std::move(w));
}

}  // namespace fathom::audit::witnesses
