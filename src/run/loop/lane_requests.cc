// Distributes requests among lanes. One lock protects requests, passes and pauses.
#include "run/loop/lane_requests.h"

#include <algorithm>
#include <utility>

#include "run/loop/paced_block.h"
#include "run/loop/pause.h"

namespace fathom::run::loop {

LaneRequests::LaneRequests(workload::Source& requests, const job::Job& job, std::size_t lanes,
                           std::function<void()> new_pass, const std::atomic<std::uint32_t>& stop)
    : requests_(requests),
      job_(job),
      think_(job.of<job::fields::Think>()),
      new_pass_(std::move(new_pass)),
      stop_(stop),
      busy_(lanes) {}

void LaneRequests::begin(std::uint64_t now_ns) {
  const Lock lock(mutex_);
  think_end_ns_ = now_ns;
  if (job_.runtime_ns != 0) end_ns_ = now_ns + job_.ramp_ns + job_.runtime_ns;
}

void LaneRequests::is_over(std::size_t lane) {
  if (busy_[lane] == 0) return;
  busy_[lane] = 0;
  counted_ += think_.by_issue ? 0 : 1;
  if (--handed_out_ == 0) quiet_.notify_all();
}

bool LaneRequests::next(io::Request& out) {
  if (next_ == made_) {
    next_ = 0;
    made_ = requests_.next(block_);
  }
  if (next_ == made_) return false;
  out = block_[next_++];
  if (out.due_ns != 0) out.due_ns += shift_ns_;
  return true;
}

// The first lane that finds the pass over and no request in flight begins the next pass.
LaneRequests::NewPass LaneRequests::begin_pass(Lock& lock) {
  const std::uint64_t pass = passes_;
  quiet_.wait(lock, [&] { return handed_out_ == 0 || over_ || passes_ != pass; });
  if (over_) return NewPass::none;
  if (passes_ != pass) return NewPass::of_another;
  over_ = !requests_.begin_pass();
  if (!over_) new_pass_();
  ++passes_;
  quiet_.notify_all();
  return over_ ? NewPass::none : NewPass::own;
}

bool LaneRequests::think_due() const {
  if (job_.thinktime_ns == 0) return false;
  const bool counts_blocks = think_.iotime_ns == 0 || think_.blocks_given;
  if (counts_blocks && counted_ >= job_.thinktime_blocks) return true;
  return think_.iotime_ns != 0 && monotonic_ns() >= think_end_ns_ + think_.iotime_ns;
}

// Other lanes wait for the lock, or for the end of the pause. Blocks beyond thinktime_blocks count towards the next
// pause.
void LaneRequests::think(Lock& lock) {
  quiet_.wait(lock, [&] { return handed_out_ == 0 || !think_due(); });
  if (!think_due()) return;
  const std::uint64_t began_ns = monotonic_ns();
  const std::uint64_t whole_ns = std::min(job_.thinktime_ns, end_ns_ > began_ns ? end_ns_ - began_ns : 0);
  if (whole_ns > job_.thinktime_spin_ns) pause_for(whole_ns - job_.thinktime_spin_ns, stop_);
  while (monotonic_ns() - began_ns < whole_ns && stop_.load(std::memory_order_relaxed) == 0) {
  }
  counted_ -= std::min<std::uint64_t>(counted_, job_.thinktime_blocks);
  think_end_ns_ = monotonic_ns();
  const std::uint64_t paused_ns = think_end_ns_ - began_ns, block_ns = paced_block_ns(job_);
  if (think_.rate_ignores && job_.paced() && paused_ns > block_ns) shift_ns_ += paused_ns - block_ns;
  quiet_.notify_all();
}

// If this lane began a pass and the pass has no request, the job ends. A pass that another lane began may be complete
// before this lane gets the lock again; the lane then waits for the next pass.
bool LaneRequests::take(std::size_t lane, io::Request& out) {
  Lock lock(mutex_);
  is_over(lane);
  for (auto begun = NewPass::of_another;;) {
    if (!over_ && stop_.load(std::memory_order_relaxed) == 0 && think_due()) think(lock);
    if (over_) return false;
    if (next(out)) break;
    begun = begun == NewPass::own ? NewPass::none : begin_pass(lock);
    if (begun == NewPass::none) {
      over_ = true;
      quiet_.notify_all();
      return false;
    }
  }
  busy_[lane] = 1;
  ++handed_out_;
  counted_ += think_.by_issue ? 1 : 0;
  return true;
}

void LaneRequests::leave(std::size_t lane) {
  const Lock lock(mutex_);
  is_over(lane);
}

}  // namespace fathom::run::loop
