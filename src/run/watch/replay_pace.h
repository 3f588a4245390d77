// read_iolog=: when the I/Os of a replay started, compared with the order and the times of the trace. One of the
// consumers of single I/Os (watches.h). An I/O is compared with the one that is the latest in the trace so far; two of
// the same recorded time have no order. Thread rule: the worker's.
#pragma once
#include <algorithm>
#include <cstdint>

#include "io/request.h"
#include "job/job.h"
#include "run/records/replay_record.h"
#include "run/replay/closed_loop.h"

namespace fathom::run::watch {

class ReplayPace {
 public:
  // closed: of replay_loop=closed, else nullptr.
  ReplayPace(const job::Job& job, records::ReplayRecord& record, replay::ClosedLoop* closed)
      : record_(record), closed_(closed), any_(job.replays && !job.gtod_reduce) {}
  bool any() const { return any_; }
  bool wants_syncs() const { return closed_ != nullptr; }
  // A sync or a failed I/O; done() reports the others.
  void ended(const io::Request& request, std::uint64_t end_ns) {
    if (closed_ != nullptr) closed_->ended(request, end_ns);
  }
  void nothing_in_flight() {
    if (closed_ != nullptr) closed_->nothing_in_flight();
  }

  // Times since the job began: end_ns of the completion.
  void done(const io::Request& request, std::uint64_t end_ns, std::uint64_t lat_ns) {
    const std::uint64_t start_ns = end_ns - std::min(lat_ns, end_ns), due_ns = request.due_ns;
    ended(request, end_ns);
    record_.achieved.add(start_ns);
    record_.replayed_ns = std::max(record_.replayed_ns, start_ns);
    if (!io::is_paced(request)) return;
    if (due_ns < latest_due_ns_) {
      ++record_.ended_out_of_order;
      if (start_ns > latest_start_ns_) ++record_.started_out_of_order;
      return;
    }
    if (due_ns > latest_due_ns_ && start_ns < latest_start_ns_) ++record_.started_out_of_order;
    latest_start_ns_ = due_ns > latest_due_ns_ ? start_ns : std::max(start_ns, latest_start_ns_);
    latest_due_ns_ = due_ns;
    record_.last_late_ns = latest_start_ns_ - std::min(due_ns, latest_start_ns_);
  }

 private:
  records::ReplayRecord& record_;
  replay::ClosedLoop* const closed_;
  const bool any_;
  std::uint64_t latest_due_ns_ = 0, latest_start_ns_ = 0;
};

}  // namespace fathom::run::watch
