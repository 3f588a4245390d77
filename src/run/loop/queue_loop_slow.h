// The queue loop outside its I/O path: the kernel takes fewer requests than posted, an I/O is short or fails, the next
// request is not due yet, the job thinks, or the end has come.
#pragma once
#include "run/loop/queue_loop.h"

namespace fathom::run::loop {

// In turns (device_group_loop.h). The group defines the times of a phase.
template <class T>
void QueueLoop<T>::begin_phase(std::uint64_t job_start, std::uint64_t phase_start, std::uint64_t deadline) {
  Core::job_start_ = Core::due_from_ = Core::think_end_ = job_start;
  Core::phase_start_ = phase_start;
  Core::deadline_ = deadline;
}

// As may_start, but without waiting: the other devices have their turns during that time.
template <class T>
bool QueueLoop<T>::may_start_in_turn(const io::Request& request, unsigned posted) {
  const std::uint64_t now_ns = Core::since_start_ns();
  if (io::is_paced(request) && now_ns < request.due_ns) {
    not_before_ns_ = request.due_ns;
    return false;
  }
  if (Core::until_pause_ == 0 && posted == 0 && Core::context_.job.thinktime_ns != 0) {
    if (in_flight_ > 0) return false;
    if (!thinking_) not_before_ns_ = now_ns + Core::context_.job.thinktime_ns;
    thinking_ = now_ns < not_before_ns_;
    if (thinking_) return false;
    Core::until_pause_ = Core::pause_every_;
    Core::put_off_left_ = 0;
    Core::thought(Core::last_);
  }
  not_before_ns_ = 0;
  Core::record_start(request);
  return true;
}

// Reaps first, so that requests are prepared just before they are submitted. False: no completion, and nothing could be
// submitted.
template <class T>
bool QueueLoop<T>::turn() {
  FATHOM_MARK("loop.turn.group");
  const std::uint32_t before = in_flight_;
  if (in_flight_ > 0 && reap(0) == Step::stop) return false;
  const bool came = in_flight_ < before;
  if (in_flight_ <= low_target_) low_target_ = 0;
  if (!came && in_flight_ < depth_) Core::read();  // no reap has just read the clock
  bool posted_any = false;
  while (const unsigned posted = fill()) {
    submit(posted);
    posted_any = true;
  }
  return came || posted_any;
}

template <class T>
void QueueLoop<T>::measuring_begins() {
  records::WorkerRecord& record = Core::context_.record;
  record.carried_in.store(record.ended_in_ramp ? 0 : in_flight_, std::memory_order_relaxed);
  if constexpr (Polls<Engine>)
    if (!record.ended_in_ramp) engine_.clear_counts();  // what was measured in such a ramp is kept
}

template <class T>
void QueueLoop<T>::ended() {
  if constexpr (Polls<Engine>) {
    auto& queue = Core::context_.record.queue;
    queue = engine_.counts();
    queue.ios = ended_ios(Core::measured_);
  }
}

// Sets the other members to the actual state: every slot is in flight.
template <class T>
void QueueLoop<T>::leave_full(std::uint32_t unrung) {
  in_flight_ = depth_;
  free_count_ = 0;
  unrung_ = unrung;
}

// The kernel may take fewer requests than posted: a trim or sync goes alone, and the requests behind it go in the next
// call. It may also have no room: then completions make some.
template <class T>
void QueueLoop<T>::ring_again(int n) {
  if (ringing_) {  // a short I/O was posted again from below: the outer loop submits the rest
    if (n > 0) unrung_ -= std::min(unrung_, static_cast<std::uint32_t>(n));
    return;
  }
  ringing_ = true;
  for (;;) {
    if (n > 0) {
      unrung_ -= std::min(unrung_, static_cast<std::uint32_t>(n));
    } else if (n == 0 || n == -EAGAIN || n == -EINTR || n == -EBUSY) {
      // One at a time, and not into completions_: a short I/O leads here while those are being recorded.
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

// The submitting call failed. The requests that it did not take were never in flight.
template <class T>
void QueueLoop<T>::refuse_unrung(int err) {
  if (auto* e = Core::context_.record.add_error(err)) std::strncpy(e->what, "submitting", sizeof e->what - 1);
  in_flight_ -= std::min(in_flight_, unrung_);
  unrung_ = 0;
  Core::give_up();
}

template <class T>
auto QueueLoop<T>::reap_failed(int err) -> Step {
  if (err == EINTR || err == EAGAIN) return Step::go_on;
  if (auto* e = Core::context_.record.add_error(err))
    std::strncpy(e->what, "waiting for completions", sizeof e->what - 1);
  Core::give_up();
  in_flight_ = 0;
  return Step::stop;
}

// A short or failed I/O. The rest of a short transfer is submitted, as a program would do. No progress is an error.
template <class T>
void QueueLoop<T>::finish_short_or_failed(std::uint32_t slot, std::int32_t result) {
  Slot& s = slots_[slot];
  records::Measured& m = Core::measured_;
  const auto moved = result > 0 ? static_cast<std::uint32_t>(result) : 0;
  if (!WholeOrNothing<Engine> && moved > 0 && moved < s.request.length) {
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
  if (Core::ends_when_full(s.request, result < 0 ? -result : EIO)) return;
  if (auto* e = Core::io_failed(s.request, result < 0 ? -result : EIO)) {
    if constexpr (requires { engine_.explain(slot); })
      std::strncpy(e->what, engine_.explain(slot).c_str(), sizeof e->what - 1);
  }
}

// Polls for completions until the next request is due. Sleeps only if nothing is in flight, so that no completion is
// stamped late.
template <class T>
void QueueLoop<T>::wait_for_due(std::uint64_t due_ns) {
  if (in_flight_ == 0 && due_ns == io::kHeld_ns) return Core::context_.watches->nothing_in_flight();
  if constexpr (Core::kFakeTime) {
    const std::uint64_t due = Core::due_from_ + due_ns;
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
    const int n = look_then_wait(0, {completions_.get(), complete_max_});
    Core::read();
    if (n > 0) count_reap(n, before, Core::last_);
    if (n == 0) Core::measured_.idle_ns += Core::forward_ns(before, Core::last_);
    record_all(n, Core::last_);
  } else {
    const std::uint64_t before = Core::last_;
    pause_near(std::min(due_ns - Core::since_start_ns(), Core::until_deadline_ns()));
    const std::uint64_t waited_ns = Core::forward_ns(before, Core::read());
    Core::measured_.idle_ns += waited_ns;
    Core::measured_.overslept_ns += overslept_ns(waited_ns);
  }
}

// False: a stop was requested, or an I/O failed.
template <class T>
bool QueueLoop<T>::drain_in_flight() {
  while (in_flight_ > 0) {
    if (Core::failed_ || Core::stop_asked()) return false;
    if (reap(1) == Step::stop) return false;
  }
  low_target_ = 0;
  return true;
}

template <class T>
bool QueueLoop<T>::overlaps_in_flight(const io::Request& request) {
  std::fill(flying_.begin(), flying_.end(), 1);
  for (std::uint32_t i = 0; i < free_count_; ++i) flying_[free_[i]] = 0;
  for (std::size_t slot = 0; slot < flying_.size(); ++slot) {
    const io::Request& other = slots_[slot].request;
    if (flying_[slot] != 0 && other.target == request.target && other.offset < request.offset + request.length &&
        request.offset < other.offset + other.length)
      return true;
  }
  return false;
}

// serialize_overlap: the next request waits for those in flight that overlap it.
template <class T>
bool QueueLoop<T>::wait_for_overlapping() {
  const io::Request* const request = Core::next();
  while (request != nullptr && in_flight_ > 0 && overlaps_in_flight(*request)) {
    if (Core::failed_ || Core::stop_asked()) return false;
    if (reap(1) == Step::stop) return false;
  }
  return true;
}

// latency_target: sets the depth that the search requires. Lower it only when nothing is in flight.
template <class T>
void QueueLoop<T>::limit_depth(std::uint32_t depth) {
  if constexpr (kInstrumented)
    if (depth != 0) depth_ = std::min(depth, Core::context_.job.iodepth);
}

// thinktime: as in fio, nothing is in flight during the pause.
template <class T>
void QueueLoop<T>::think() {
  if constexpr (Core::kFakeTime) {
    const std::uint64_t began = Core::read();
    engine_.clock().advance_to(std::min(Core::deadline_, began + Core::context_.job.thinktime_ns));
    Core::read();
    Core::thought(began);
  } else {
    Core::pause_to_think();
  }
}

// verify=: the slot's request may be the last part of a short I/O.
template <class T>
bool QueueLoop<T>::read_whole_verified(std::uint32_t slot) {
  const Slot& s = slots_[slot];
  io::Request whole = s.request;
  if constexpr (kCutsShort) {
    whole.offset -= s.done_bytes;
    whole.length += s.done_bytes;
  }
  return Core::verified(whole, buffers_ + slot * buffer_stride_);
}

// The loop has ended. The I/Os in flight still count.
template <class T>
void QueueLoop<T>::drain() {
  begin_draining();
  while (in_flight_ > 0 && Core::stop_.load(std::memory_order_relaxed) < 2)
    if (drain_once(1) < 0) return;
}

template <class T>
void QueueLoop<T>::begin_draining() {
  Core::deadline_ = ~0ull;
  low_target_ = 0;
}

// False: no completion. After an error, the I/Os in flight no longer complete.
template <class T>
bool QueueLoop<T>::drain_turn() {
  const int n = drain_once(0);
  if (n < 0) in_flight_ = 0;
  return n > 0;
}

template <class T>
int QueueLoop<T>::drain_once(unsigned min) {
  const int n = look_then_wait(min, {completions_.get(), Core::context_.job.iodepth});
  if (n == -EINTR) return 0;
  if (n < 0) {
    if (auto* e = Core::context_.record.add_error(-n)) std::strncpy(e->what, "draining", sizeof e->what - 1);
    return n;
  }
  record_all(n, Core::read());
  return n;
}

}  // namespace fathom::run::loop
