// Compares the latency of single I/Os with the limit.
#include "run/watch/latency_limit.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "job/fields/latency_limits.h"
#include "run/watch/watches.h"

namespace fathom::run::watch {
namespace {

// Uses fio's wording.
void write_down_late(const DoneIo& io, std::uint64_t limit_ns, records::WorkerRecord& record) {
  auto* e = record.add_io_error(ETIMEDOUT, false, io.request);
  if (e == nullptr) return;
  e->kind = records::ErrorRecord::Kind::too_slow;
  std::snprintf(e->what, sizeof e->what, "latency of %" PRIu64 " nsec exceeds specified max (%" PRIu64 " nsec)",
                io.lat_ns, limit_ns);
}

}  // namespace

LatencyLimit::LatencyLimit(const job::Job& job) : any_(job.of<job::fields::MaxLatency>().any()) {
  std::copy_n(job.of<job::fields::MaxLatency>().ns.begin(), io::kDataDirs, limit_ns_);
}

bool LatencyLimit::keeps(const DoneIo& io, records::WorkerRecord& record) {
  const std::uint64_t limit_ns = limit_ns_[io::index(io.request.dir)];
  if (limit_ns == 0 || io.lat_ns <= limit_ns) return true;
  if (!std::exchange(exceeded_, true)) write_down_late(io, limit_ns, record);
  return false;
}

LatencySearch::LatencySearch(const job::Job& job)
    : target_ns_(job.of<job::fields::LatencyTarget>().target_ns),
      window_ns_(job.of<job::fields::LatencyTarget>().window_ns),
      search_(job.iodepth, job.of<job::fields::LatencyTarget>().percentile,
              job.of<job::fields::LatencyTarget>().whole_run) {}

LatencySearch::Next LatencySearch::judge(const DoneIo& io) {
  const bool late = io.lat_ns > target_ns_;
  ++ios_;
  late_ += late ? 1 : 0;
  if (late && search_.strict()) return search_.missed();
  if (io.at_ns - begin_ns_ < window_ns_) return Next::go_on;
  const auto next = search_.window_over(ios_, late_);
  begin_ns_ = io.at_ns;
  ios_ = late_ = 0;
  return next;
}

// I/Os that began before the window belong to another depth, and are not counted.
LatencySearch::Next LatencySearch::done(const DoneIo& io, records::WorkerRecord& record) {
  if (io.at_ns < begin_ns_ + io.lat_ns) return Next::go_on;
  const auto next = judge(io);
  if (next == Next::drain) {
    begin_ns_ = io.at_ns;
    ios_ = late_ = 0;
  }
  if (next == Next::failed) write_down_late(io, target_ns_, record);
  record.latency_depth = search_.depth();
  return next;
}

}  // namespace fathom::run::watch
