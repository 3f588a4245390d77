// What the queue's loop does beside its path: when the kernel takes less than it was given, an I/O comes back short or
// failed, the next request is not due yet, the job thinks, or the end has come.
#pragma once
#include "run/queue_loop.h"

namespace fathom::run {

#define FATHOM_LOOP template <class E, class C, Stamping S, bool P>
#define FATHOM_LOOP_OF QueueLoop<E, C, S, P>

// The kernel may take fewer than were posted (a trim or sync goes alone, what was posted behind it in the next call),
// or have no room: then completions make some.
FATHOM_LOOP void FATHOM_LOOP_OF::ring_again(int n) {
  if (ringing_) {  // a short I/O posted again from below: the loop that runs already takes the rest along
    if (n > 0) unrung_ -= std::min(unrung_, static_cast<std::uint32_t>(n));
    return;
  }
  ringing_ = true;
  for (;;) {
    if (n > 0) {
      unrung_ -= std::min(unrung_, static_cast<std::uint32_t>(n));
    } else if (n == 0 || n == -EAGAIN || n == -EINTR || n == -EBUSY) {
      // One at a time, and not into completions_: a short I/O comes here while those are being recorded.
      io::Completion done;
      const int reaped = engine_.reap(in_flight_ > unrung_ ? 1 : 0, {&done, 1});
      if (reaped > 0) record(done, Core::clock_.now().v);
      if (reaped < 0 && reap_failed(-reaped) == Step::stop) unrung_ = 0;
    } else {
      refuse_unrung(-n);
    }
    if (unrung_ == 0) break;
    n = engine_.ring(0);
  }
  ringing_ = false;
}

// The submitting call itself failed: what it did not take was never in flight.
FATHOM_LOOP void FATHOM_LOOP_OF::refuse_unrung(int err) {
  if (auto* e = Core::context_.record.add_error(err)) std::strncpy(e->what, "submitting", sizeof e->what - 1);
  in_flight_ -= std::min(in_flight_, unrung_);
  unrung_ = 0;
  Core::give_up();
}

FATHOM_LOOP typename FATHOM_LOOP_OF::Step FATHOM_LOOP_OF::reap_failed(int err) {
  if (err == EINTR || err == EAGAIN) return Step::go_on;
  if (auto* e = Core::context_.record.add_error(err))
    std::strncpy(e->what, "waiting for completions", sizeof e->what - 1);
  Core::give_up();
  in_flight_ = 0;
  return Step::stop;
}

// Short or failed. A short transfer goes on with the rest, as a program would; no progress at all is an error.
FATHOM_LOOP void FATHOM_LOOP_OF::finish_oddly(std::uint32_t slot, std::int32_t result) {
  Slot& s = slots_[slot];
  Measured& m = Core::measured_;
  const auto moved = result > 0 ? static_cast<std::uint32_t>(result) : 0;
  if (moved > 0 && moved < s.request.length) {
    if (s.done_bytes == 0) m.short_ios[io::index(s.request.dir)].add(1);
    m.done.bytes[io::index(s.request.dir)].add(moved);
    s.done_bytes += moved;
    s.request.offset += moved;
    s.request.length -= moved;
    engine_.post(slot, s.request, buffers_ + slot * buffer_stride_ + s.done_bytes);
    ++unrung_;
    ring_all(0);
    return;
  }
  --in_flight_;
  free_[free_count_++] = slot;
  if (s.request.dir != io::Dir::sync) m.error_ios[io::index(s.request.dir)].add(1);
  if (auto* e = Core::context_.record.add_error(result < 0 ? -result : EIO)) e->describe(s.request);
  Core::give_up();
}

// Looks for completions until the next request is due; sleeps only when nothing is in flight, so no completion is
// stamped late.
FATHOM_LOOP void FATHOM_LOOP_OF::wait_for_due(std::uint64_t due_ns) {
  if constexpr (Core::kFakeTime) {
    const std::uint64_t due = Core::job_start_ + due_ns;
    const std::uint64_t finish = engine_.next_finish_ns();
    if (finish < due && in_flight_ > 0) {
      engine_.clock().advance_to(finish);
      reap(1);
      if (in_flight_ == depth_) return;
    } else {
      engine_.clock().advance_to(std::min(due, Core::deadline_));
    }
    Core::read();
  } else if (in_flight_ > 0) {
    const std::uint64_t before = Core::last_;
    const int n = engine_.reap(0, {completions_.get(), complete_max_});
    Core::read();
    if (n > 0) count_reap(n, before, Core::last_);
    record_all(n, Core::last_);
  } else {
    pause_near(std::min(due_ns - Core::since_start_ns(), Core::until_deadline_ns()));
    Core::read();
  }
}

// thinktime: as fio, nothing is in flight while the job thinks.
FATHOM_LOOP void FATHOM_LOOP_OF::think() {
  while (in_flight_ > 0 && !Core::failed_ && !Core::stop_asked())
    if (reap(1) == Step::stop) return;
  if constexpr (Core::kFakeTime) {
    engine_.clock().advance_to(std::min(Core::deadline_, Core::read() + Core::context_.job.thinktime_ns));
    Core::read();
    Core::thinks_left_ = Core::context_.job.thinktime_blocks;
  } else {
    Core::pause_to_think();
  }
}

// The loop has ended; what is in flight still counts.
FATHOM_LOOP void FATHOM_LOOP_OF::drain() {
  Core::deadline_ = ~0ull;
  low_target_ = 0;
  while (in_flight_ > 0 && Core::context_.stop.load(std::memory_order_relaxed) < 2) {
    const int n = engine_.reap(1, {completions_.get(), depth_});
    if (n == -EINTR) continue;
    if (n < 0) {
      if (auto* e = Core::context_.record.add_error(-n)) std::strncpy(e->what, "draining", sizeof e->what - 1);
      return;
    }
    record_all(n, Core::read());
  }
}

#undef FATHOM_LOOP
#undef FATHOM_LOOP_OF

}  // namespace fathom::run
