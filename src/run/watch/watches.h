// Observers of a job's single I/Os beyond the sums: rows of its logs, a limit that ends it. A loop reports an I/O only
// if its job has an observer, with one call out of line in its paced variants; all other jobs run the same instructions
// as before. A part is a class in its own file, a member here, and a line in any(), measuring_begins() and done(). It
// allocates its memory in its constructor. No part reads a clock. Thread rule: the worker's thread.
#pragma once
#include <algorithm>
#include <cstdint>

#include "io/request.h"
#include "job/fields/steady.h"
#include "job/job.h"
#include "run/logs/log_writer.h"
#include "run/records/block_lifetimes.h"
#include "run/records/record.h"
#include "run/watch/latency_limit.h"
#include "run/watch/priority_latency.h"
#include "run/watch/replay_pace.h"

namespace fathom::run::watch {

// A successful, recorded I/O, in ns. at_ns: since the measured part began. All times are 0 in a job without timestamps
// (gtod_reduce).
struct DoneIo {
  io::Request request;                            // the whole request; its target is the job's
  std::uint64_t at_ns, slat_ns, clat_ns, lat_ns;  // slat_ns: kNoLatency in a loop that does not measure it
};

class Watches {
 public:
  using Next = DepthSearch::Next;

  Watches(const job::Job& job, std::span<const io::Target> targets, records::WorkerRecord& record, logs::LogRings* logs,
          std::size_t worker, replay::ClosedLoop* closed = nullptr)
      : record_(record),
        logs_(job, record, logs, worker),
        limit_(job),
        search_(job),
        priorities_(job, record),
        lifetimes_(job, targets, record),
        replay_(job, record.replay, closed),
        sums_clat_(job.of<job::fields::Steady>().asked() &&
                   job.of<job::fields::Steady>().of == job::fields::SteadyOf::lat) {
    record.latency_depth = depth();
  }

  // For one of several loops of a job, which has a separate record.
  Watches(const job::Job& job, records::WorkerRecord& record, Watches& all)
      : record_(record),
        logs_(all.logs_),
        limit_(job),
        search_(job),
        priorities_(job, record),
        lifetimes_(job, {}, record),
        replay_(job, record.replay, nullptr),
        sums_clat_(all.sums_clat_) {}
  // The records of those loops.
  void sum_over(std::span<const records::WorkerRecord> parts) { logs_.sum_over(parts); }

  bool any() const {
    return logs_.any() || limit_.any() || search_.any() || priorities_.used() || lifetimes_.any() || replay_.any() ||
           sums_clat_;
  }
  // Call when the ramp has ended, or at the start without a ramp. now: a reading of the job's clock, in ticks.
  void measuring_begins(std::uint64_t /*now*/) {
    logs_.measuring_begins();
    search_.measuring_begins();
  }
  // The current limit of the queue depth; 0: as in the job.
  std::uint32_t depth() const { return search_.any() ? search_.depth() : 0; }
  // Returns the loop's next step; failed: the cause is in the record.
  Next done(const DoneIo& io) {
    waited_ = logs_.any() && logs_.io(row_of(io, logs_.prio_of(io.request), 0));
    if (lifetimes_.any()) lifetimes_.done(io.request);
    if (replay_.any()) replay_.done(io.request, io.at_ns, io.lat_ns);
    if (priorities_.used()) priorities_.done(io.request, io.clat_ns, io.lat_ns);
    if (sums_clat_) {
      record_.clat_sum_ns.add(io.clat_ns);
      record_.clat_ios.add(1);
    }
    if (limit_.any() && !limit_.keeps(io, record_)) return Next::failed;
    return search_.any() ? search_.done(io, record_) : Next::go_on;
  }
  // Reports a successful sync; only if wants_syncs().
  bool wants_syncs() const { return logs_.wants_syncs() || replay_.wants_syncs(); }
  void synced(const DoneIo& io) {
    replay_.ended(io.request, io.at_ns);
    waited_ = logs_.wants_syncs() && logs_.io(row_of(io, 0, io.request.flags));
  }
  // Reports a failed I/O. at_ns: since the job began.
  void failed(const io::Request& request, std::uint64_t at_ns) {
    if (lifetimes_.any()) lifetimes_.failed(request);
    replay_.ended(request, at_ns);
  }
  // The loop waits for a request whose time is not known (io::kHeld_ns), and no completion will come.
  void nothing_in_flight() { replay_.nothing_in_flight(); }
  // True: done() waited, and that time belongs to no latency.
  bool waited() const { return waited_; }

 private:
  static logs::IoRow row_of(const DoneIo& io, std::uint16_t prio, std::uint8_t sync_flags) {
    return {
        io.at_ns, io.request.offset, {io.slat_ns, io.clat_ns, io.lat_ns}, io.request.length, io.request.dir, sync_flags,
        prio,     io.request.target};
  }

  records::WorkerRecord& record_;
  logs::LogWriter logs_;
  LatencyLimit limit_;
  LatencySearch search_;
  PriorityLatency priorities_;
  records::BlockLifetimes lifetimes_;
  ReplayPace replay_;
  bool sums_clat_;  // for the parent, which uses them to detect a steady state
  bool waited_ = false;
};

}  // namespace fathom::run::watch
