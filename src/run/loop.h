// The submit-stamp-record loop: the one place in fathom where an I/O's time is taken. A template over engine, clock, placement of stamps and
// pacing, so that nothing that is fixed for a run is tested per I/O: no allocation, lock, print, division or indirect call in it but the
// call that refills a block of requests.
//
// Stamps (docs/measurement.md):
//   fathom  start    = the loop's last clock reading before this I/O was prepared (chained: costs nothing)
//           issue    = read once a submitted batch, just before the system call that submits it
//           complete = read once a reaped batch, just after it
//   fio     start    = read when the I/O is prepared; issue = read after the submitting call (before it for synchronous engines)
//   none    gtod_reduce: one reading in 64 turns, for the deadline only
#pragma once
#include <sched.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <vector>

#include "clock/fake.h"
#include "run/context.h"
#include "run/pause.h"

namespace fathom::run {

enum class Stamping { none, fathom, fio };

// The clock of engines that run on their own time.
struct FakeClockView {
  const clock::FakeClock* fake;
  base::Ticks now() const { return {fake->now_ns()}; }
};

// fio's buckets of a batch's size: 0, 1-4, 5-8, 9-16, 17-32, 33-64, more; and of the depth at submission: 1, 2, 4, 8, 16, 32, 64 and more.
inline std::size_t batch_bucket(unsigned n) {
  return n == 0 ? 0u : static_cast<std::size_t>(std::clamp(static_cast<int>(std::bit_width(n - 1)) - 1, 1, 6));
}
inline std::size_t depth_bucket(unsigned n) { return static_cast<std::size_t>(std::min(static_cast<int>(std::bit_width(n)) - 1, 6)); }

template <class Engine, class Clock, Stamping kStamps, bool kPaced, bool kSynchronous>
class Loop {
 public:
  Loop(Engine& engine, Clock clock, LoopContext& context);
  // Ramp, measured phase, drain.
  void run();

 private:
  static constexpr std::size_t kBlock = 128;
  static constexpr bool kFakeTime = std::is_same_v<Clock, FakeClockView>;
  struct Slot {  // 48 bytes: what completion needs
    io::Request request;
    std::uint64_t start, issue;
    std::uint32_t done_bytes;  // of an I/O that came back short
    std::uint32_t total_bytes;
  };
  enum class Step { go_on, stop };

  void phase(std::uint64_t length_ns);
  bool next_request(io::Request& request);
  unsigned fill();
  void submit(unsigned posted);
  Step reap();
  void post(const io::Request& request);
  void record_all(int n, std::uint64_t now);
  void record(std::uint32_t slot, std::int32_t result, std::uint64_t now);
  void record_latency(DirectionRecord& direction, const Slot& slot, std::uint64_t now);
  void finish_oddly(std::uint32_t slot, std::int32_t result);
  void ring_all(unsigned posted);
  void wait_for_due(std::uint64_t due);
  void think();
  void drain();
  void let_others_start();
  void begin_measuring();
  bool refill();
  bool over();
  std::uint64_t read() { return last_ = clock_.now().v; }
  std::uint64_t ns(std::uint64_t ticks) const { return conversion_.to_ns({ticks}).v; }
  std::uint64_t due_ticks(const io::Request& r) const { return job_start_ + conversion_.to_ticks({r.due_ns}).v; }

  Engine& engine_;
  [[no_unique_address]] Clock clock_;
  LoopContext& context_;
  const clock::Conversion conversion_;
  Measured& measured_;
  const std::uint32_t depth_, batch_, complete_min_, complete_max_, low_;

  std::uint64_t last_ = 0, deadline_ = ~0ull, phase_start_ = 0, job_start_ = 0;
  std::uint32_t in_flight_ = 0, low_target_ = 0, turns_ = 0;
  bool exhausted_ = false, failed_ = false, stopped_ = false;
  std::uint32_t free_count_ = 0;
  std::size_t block_at_ = 0, block_size_ = 0;
  std::uint32_t thinks_left_ = 0;
  std::uint64_t loops_left_ = 0;
  std::vector<std::uint32_t> free_, posted_;
  std::vector<Slot> slots_;
  std::vector<io::Completion> completions_;
  io::Request block_[kBlock];
};

#define FATHOM_LOOP template <class E, class C, Stamping S, bool P, bool Y>
#define FATHOM_LOOP_OF Loop<E, C, S, P, Y>

FATHOM_LOOP FATHOM_LOOP_OF::Loop(E& engine, C clock, LoopContext& context)
    : engine_(engine),
      clock_(clock),
      context_(context),
      conversion_(kFakeTime ? clock::Conversion::identity() : context.calibration.conversion),
      measured_(context.record.measured),
      depth_(Y ? 1 : context.job.iodepth),
      batch_(std::min(depth_, std::max(1u, context.job.iodepth_batch))),
      complete_min_(std::min(depth_, context.job.iodepth_batch_complete_min)),
      complete_max_(std::min(depth_, std::max({1u, context.job.iodepth_batch_complete_max, complete_min_}))),
      low_(context.job.iodepth_low == 0 ? depth_ : std::min(depth_, context.job.iodepth_low)),
      free_count_(depth_),
      thinks_left_(context.job.thinktime_blocks),
      loops_left_(context.job.loops),
      free_(depth_),
      posted_(depth_),
      slots_(depth_),
      completions_(depth_) {
  for (std::uint32_t i = 0; i < depth_; ++i) free_[i] = depth_ - 1 - i;
}

FATHOM_LOOP void FATHOM_LOOP_OF::run() {
  const auto& job = context_.job;
  job_start_ = phase_start_ = read();
  let_others_start();
  if (job.ramp_ns > 0) {
    context_.record.set_phase(Phase::ramp);
    phase(job.ramp_ns);
  }
  begin_measuring();
  if (!exhausted_ && !failed_ && !stopped_) phase(job.runtime_ns);
  drain();
  const std::uint64_t end = read();
  context_.record.elapsed_ns = ns(end - phase_start_);
  context_.record.job_ns = ns(end - job_start_);
  context_.record.interrupted = stopped_;
}

// With more workers than CPUs the first ones would use up their time slices before the last ones have begun: give way once between the
// start stamp and the first I/O.
FATHOM_LOOP void FATHOM_LOOP_OF::let_others_start() {
  if constexpr (!kFakeTime) {
    context_.record.start_ns.store(monotonic_ns(), std::memory_order_relaxed);
    ::sched_yield();
    read();
  }
}

FATHOM_LOOP void FATHOM_LOOP_OF::begin_measuring() {
  std::memset(static_cast<void*>(&measured_), 0, context_.job.ramp_ns > 0 ? sizeof measured_ : 0);
  if (context_.job.ramp_ns > 0) phase_start_ = read();
  if (kFakeTime || context_.job.ramp_ns > 0) context_.record.start_ns.store(monotonic_ns(), std::memory_order_relaxed);
  context_.record.set_phase(Phase::running);
}

// One phase: until its time is over, the work is done, an I/O failed, or someone asked to stop.
FATHOM_LOOP void FATHOM_LOOP_OF::phase(std::uint64_t length_ns) {
  deadline_ = length_ns == 0 ? ~0ull : phase_start_ + conversion_.to_ticks({length_ns}).v;
  do {
    const unsigned posted = fill();
    if (posted > 0) submit(posted);
    if (in_flight_ == 0) {
      if (posted == 0 && exhausted_) return;
      continue;
    }
    // As the user wrote it: fill up to the depth, batch by batch, then wait for complete_min.
    if (in_flight_ < depth_ && posted > 0 && !exhausted_ && low_target_ == 0) continue;
    if (in_flight_ >= depth_ && low_ < depth_) low_target_ = low_;
    if (reap() == Step::stop) return;
    if (in_flight_ <= low_target_) low_target_ = 0;
  } while (!over());
}

FATHOM_LOOP bool FATHOM_LOOP_OF::over() {
  if constexpr (S == Stamping::none) {
    if ((++turns_ & 63) == 0) read();
  }
  if (context_.stop.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    stopped_ = true;
    return true;
  }
  return last_ >= deadline_ || failed_;
}

// Prepares up to one batch. Requests that are not due yet stay in the block.
FATHOM_LOOP unsigned FATHOM_LOOP_OF::fill() {
  unsigned posted = 0;
  if (low_target_ != 0) return 0;
  const unsigned room = depth_ - in_flight_;
  const unsigned want = batch_ < room ? batch_ : room;
  while (posted < want) {
    if (block_at_ == block_size_ && !refill()) break;
    const io::Request& request = block_[block_at_];
    if constexpr (P) {
      if (request.due_ns != 0) {
        const std::uint64_t due = due_ticks(request);
        if (last_ < due) {
          if (posted > 0) break;
          wait_for_due(due);
          if (last_ < due) break;
        }
      }
      if (thinks_left_ == 0 && posted == 0 && context_.job.thinktime_ns != 0) think();
    }
    ++block_at_;
    const std::uint32_t slot = free_[--free_count_];
    Slot& s = slots_[slot];
    s.request = request;
    s.done_bytes = 0;
    s.total_bytes = request.length;
    if constexpr (S == Stamping::fio)
      s.start = read();
    else
      s.start = last_;
    std::byte* buffer = context_.buffers.at(slot);
    if (request.dir == io::Dir::write) workload::scramble(buffer, request.length, request.offset, context_.scramble_seed);
    engine_.post(slot, request, buffer);
    posted_[posted++] = slot;
    if (request.dir != io::Dir::sync) measured_.dirs[io::index(request.dir)].issued.add(1);
    ++measured_.depth.level[depth_bucket(in_flight_ + posted)];
    if constexpr (P) {
      if (thinks_left_ > 0) --thinks_left_;
      if (request.due_ns != 0 && ns(last_ - due_ticks(request)) > 1'000'000) ++measured_.late_ios;
    }
  }
  return posted;
}

FATHOM_LOOP bool FATHOM_LOOP_OF::refill() {
  if (exhausted_) return false;
  block_at_ = 0;
  block_size_ = context_.stream.next({block_, kBlock});
  while (block_size_ == 0) {
    if (!context_.job.time_based && --loops_left_ == 0) {
      exhausted_ = true;
      return false;
    }
    context_.stream.restart(!context_.job.time_based && context_.job.randrepeat);
    context_.new_pass();
    read();
    block_size_ = context_.stream.next({block_, kBlock});
    if (block_size_ == 0) {
      exhausted_ = true;
      return false;
    }
  }
  return true;
}

FATHOM_LOOP void FATHOM_LOOP_OF::submit(unsigned posted) {
  std::uint64_t stamp = last_;
  if constexpr (S == Stamping::fathom || (S == Stamping::fio && Y)) {
    const std::uint64_t prepared_from = last_;
    stamp = read();
    measured_.submit_width.add(posted, posted > 1 ? ns(stamp - prepared_from) : 0);
    for (unsigned i = 0; i < posted; ++i) slots_[posted_[i]].issue = stamp;
  }
  in_flight_ += posted;
  ++measured_.depth.submit[batch_bucket(posted)];
  ++measured_.depth.submit_calls;
  ring_all(posted);
  if constexpr (S == Stamping::fio && !Y) {
    stamp = read();
    for (unsigned i = 0; i < posted; ++i) slots_[posted_[i]].issue = stamp;
  }
}

// One call in the common case; the kernel may take fewer, or ask to come again.
FATHOM_LOOP void FATHOM_LOOP_OF::ring_all(unsigned posted) {
  unsigned taken = 0;
  while (taken < posted) {
    const int n = engine_.ring();
    if (n >= 0) {
      taken += static_cast<unsigned>(n);
      if (taken >= posted) return;
    }
    if (n < 0 && n != -EAGAIN && n != -EINTR && n != -EBUSY) [[unlikely]] {
      for (unsigned i = taken; i < posted; ++i) record(posted_[i], n, last_);
      return;
    }
    // The queue is full in the kernel: make room, then go on.
    const int reaped = engine_.reap(taken > 0 || in_flight_ > posted ? 1 : 0, completions_);
    record_all(reaped, clock_.now().v);
  }
}

FATHOM_LOOP typename FATHOM_LOOP_OF::Step FATHOM_LOOP_OF::reap() {
  const std::uint64_t before = last_;
  const bool only_wait = exhausted_ || in_flight_ >= depth_ || low_target_ != 0;
  unsigned min = only_wait ? std::min(complete_min_, in_flight_) : 0;
  if constexpr (kFakeTime) {
    if (only_wait && min == 0) min = 1;  // a fake clock does not move by looking at it
  }
  const int n = engine_.reap(min, {completions_.data(), complete_max_});
  if (n < 0) [[unlikely]] {
    if (n == -EINTR || n == -EAGAIN) return Step::go_on;
    if (auto* e = context_.record.add_error(-n)) std::strncpy(e->what, "waiting for completions", sizeof e->what - 1);
    failed_ = true;
    in_flight_ = 0;
    return Step::stop;
  }
  std::uint64_t now = last_;
  if constexpr (S != Stamping::none || P) {
    now = read();
    if (n > 0) measured_.reap_width.add(static_cast<unsigned>(n), n > 1 ? ns(now - before) : 0);
  }
  ++measured_.depth.complete[batch_bucket(static_cast<unsigned>(n))];
  ++measured_.depth.complete_calls;
  record_all(n, now);
  return Step::go_on;
}

FATHOM_LOOP void FATHOM_LOOP_OF::record_all(int n, std::uint64_t now) {
  for (int i = 0; i < n; ++i) {
    const io::Completion c = completions_[static_cast<std::size_t>(i)];
    record(c.slot, c.result, now);
  }
}

FATHOM_LOOP void FATHOM_LOOP_OF::record(std::uint32_t slot, std::int32_t result, std::uint64_t now) {
  Slot& s = slots_[slot];
  if (result < 0 || (static_cast<std::uint32_t>(result) != s.request.length)) [[unlikely]] {
    finish_oddly(slot, result);
    return;
  }
  --in_flight_;
  free_[free_count_++] = slot;
  if (s.request.dir == io::Dir::sync) [[unlikely]] {
    measured_.sync_ios.add(1);
    if constexpr (S != Stamping::none) measured_.sync_lat.add(ns(now - s.issue));
    return;
  }
  DirectionRecord& d = measured_.dirs[io::index(s.request.dir)];
  d.bytes.add(s.total_bytes);
  d.ios.add(1);
  record_latency(d, s, now);
}

FATHOM_LOOP void FATHOM_LOOP_OF::record_latency(DirectionRecord& d, const Slot& s, std::uint64_t now) {
  if constexpr (S != Stamping::none) {
    // An I/O that finished inside its own submitting call can, under fio's placement, be stamped complete before issue.
    const std::uint64_t issue = S == Stamping::fio && s.issue > now ? now : s.issue;
    d.clat.add(ns(now - issue));
    d.lat.add(ns(now - s.start));
    if constexpr (!Y) d.slat.add(ns(issue - s.start));
  }
  if constexpr (P) {
    if (s.request.due_ns != 0) d.intended.add(ns(now - due_ticks(s.request)));
  }
}

// Short or failed. A short transfer goes on with the rest, as a program would; no progress at all is an error.
FATHOM_LOOP void FATHOM_LOOP_OF::finish_oddly(std::uint32_t slot, std::int32_t result) {
  Slot& s = slots_[slot];
  const auto moved = result > 0 ? static_cast<std::uint32_t>(result) : 0;
  if (moved > 0 && moved < s.request.length) {
    if (s.done_bytes == 0) measured_.dirs[io::index(s.request.dir)].short_ios.add(1);
    s.done_bytes += moved;
    s.request.offset += moved;
    s.request.length -= moved;
    engine_.post(slot, s.request, context_.buffers.at(slot) + s.done_bytes);
    int n;
    do n = engine_.ring();
    while (n == -EAGAIN || n == -EINTR || n == -EBUSY);
    if (n >= 0) return;
    result = n;
  }
  --in_flight_;
  free_[free_count_++] = slot;
  const int err = result < 0 ? -result : EIO;
  if (s.request.dir != io::Dir::sync) {
    auto& d = measured_.dirs[io::index(s.request.dir)];
    d.error_ios.add(1);
    if (s.done_bytes > 0) d.bytes.add(s.done_bytes);
  }
  if (auto* e = context_.record.add_error(err)) {
    e->dir = s.request.dir;
    e->is_io = true;
    e->target = s.request.target;
    e->offset_bytes = s.request.offset;
    e->length_bytes = s.request.length;
  }
  failed_ = true;
}

// Looks for completions until the next request is due; sleeps only when nothing is in flight, so no completion is stamped late.
FATHOM_LOOP void FATHOM_LOOP_OF::wait_for_due(std::uint64_t due) {
  if constexpr (kFakeTime) {
    const std::uint64_t finish = engine_.next_finish_ns();
    if (finish < due && in_flight_ > 0) {
      engine_.clock().advance_to(finish);
      reap();
      if (in_flight_ == depth_) return;
    } else {
      engine_.clock().advance_to(std::min(due, deadline_));
    }
    read();
  } else if (in_flight_ > 0) {
    const int n = engine_.reap(0, {completions_.data(), complete_max_});
    read();
    if (n > 0) {
      ++measured_.depth.complete[batch_bucket(static_cast<unsigned>(n))];
      ++measured_.depth.complete_calls;
    }
    record_all(n, last_);
  } else {
    const std::uint64_t until = std::min(due, deadline_);
    if (until > last_) pause_near(ns(until - last_));
    read();
  }
}

// thinktime: as fio, nothing is in flight while the job thinks.
FATHOM_LOOP void FATHOM_LOOP_OF::think() {
  while (in_flight_ > 0 && !failed_)
    if (reap() == Step::stop) return;
  const std::uint64_t until = std::min(deadline_, read() + conversion_.to_ticks({context_.job.thinktime_ns}).v);
  if constexpr (kFakeTime) {
    engine_.clock().advance_to(until);
    read();
  } else if (until > last_) {
    const std::uint64_t pause = ns(until - last_), spin = context_.job.thinktime_spin_ns;
    if (pause > spin) pause_for(pause - spin, context_.stop);
    while (read() < until && context_.stop.load(std::memory_order_relaxed) == 0) {
    }
  }
  thinks_left_ = context_.job.thinktime_blocks;
}

// The loop has ended; what is in flight still counts.
FATHOM_LOOP void FATHOM_LOOP_OF::drain() {
  deadline_ = ~0ull;
  low_target_ = 0;
  while (in_flight_ > 0 && context_.stop.load(std::memory_order_relaxed) < 2) {
    const int n = engine_.reap(1, completions_);
    if (n == -EINTR) continue;
    if (n < 0) {
      if (auto* e = context_.record.add_error(-n)) std::strncpy(e->what, "draining", sizeof e->what - 1);
      return;
    }
    record_all(n, read());
  }
}

#undef FATHOM_LOOP
#undef FATHOM_LOOP_OF

}  // namespace fathom::run
