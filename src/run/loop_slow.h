// What the loop does beside its path: when the kernel takes less than it was given, an I/O comes back short or failed,
// the next request is not due yet, the job thinks, or the end has come.
#pragma once
#include <sched.h>

#include "run/loop.h"

namespace fathom::run {

#define FATHOM_LOOP template <class E, class C, Stamping S, bool P, bool Y>
#define FATHOM_LOOP_OF Loop<E, C, S, P, Y>

// With more workers than CPUs the first ones would use up their time slices before the last ones have begun: give way
// once between the start stamp and the first I/O.
FATHOM_LOOP void FATHOM_LOOP_OF::let_others_start() {
  if constexpr (!kFakeTime) {
    context_.record.start_ns.store(monotonic_ns(), std::memory_order_relaxed);
    ::sched_yield();
    read();
  }
}

// One call in the common case. The kernel may take fewer (a trim or sync goes alone, what was posted behind it in the
// next call), or have no room: then completions make some.
FATHOM_LOOP void FATHOM_LOOP_OF::ring_all() {
  if (ringing_) return;  // a short I/O posted again from below: the loop that runs already takes it along
  ringing_ = true;
  while (unrung_ > 0) {
    const int n = engine_.ring();
    if (n > 0) {
      unrung_ -= std::min(unrung_, static_cast<std::uint32_t>(n));
    } else if (n == 0 || n == -EAGAIN || n == -EINTR || n == -EBUSY) {
      const int reaped = engine_.reap(in_flight_ > unrung_ ? 1 : 0, completions_);
      record_all(reaped, clock_.now().v);
    } else {
      refuse_unrung(-n);
    }
  }
  ringing_ = false;
}

// The submitting call itself failed: what it did not take was never in flight.
FATHOM_LOOP void FATHOM_LOOP_OF::refuse_unrung(int err) {
  if (auto* e = context_.record.add_error(err)) std::strncpy(e->what, "submitting", sizeof e->what - 1);
  in_flight_ -= std::min(in_flight_, unrung_);
  unrung_ = 0;
  failed_ = true;
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
    ++unrung_;
    ring_all();
    return;
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

// Looks for completions until the next request is due; sleeps only when nothing is in flight, so no completion is
// stamped late.
FATHOM_LOOP void FATHOM_LOOP_OF::wait_for_due(std::uint64_t due) {
  if constexpr (kFakeTime) {
    const std::uint64_t finish = engine_.next_finish_ns();
    if (finish < due && in_flight_ > 0) {
      engine_.clock().advance_to(finish);
      reap(1);
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
  while (in_flight_ > 0 && !failed_ && context_.stop.load(std::memory_order_relaxed) == 0)
    if (reap(1) == Step::stop) return;
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
