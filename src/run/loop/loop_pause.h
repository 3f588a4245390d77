// What the loops do after a failed I/O, between two I/Os of jobs that pause, and before the read-back: thinktime and
// related options, the depth that latency_target searches for, flows, a ramp limited by bytes. None of this is in the
// path of an I/O. A job with such an option runs the paced variant: an existing count (until_pause_) leads to pause(),
// and one out-of-line call reports the end of an I/O.
#pragma once
#include "job/fields/errors.h"
#include "run/loop/loop_core.h"
#include "run/loop/paced_block.h"

namespace fathom::run::loop {

// All loops of a job begin when the first of them did. Schedules and ends count from that moment.
template <class D, class T>
void LoopCore<D, T>::begin() {
  const std::uint64_t before_ns = reference_ns(), now = read(), after_ns = reference_ns();
  std::uint64_t first = 0;
  const bool alone = context_.begun == nullptr || context_.begun->compare_exchange_strong(first, now);
  const std::uint64_t since_ns = alone ? 0 : forward_ns(first, now);
  job_start_ = due_from_ = phase_start_ = think_end_ = alone ? now : first;
  job_began_ = phase_began_ = {before_ns - since_ns, after_ns - since_ns};
}

// thinktime, after the I/Os in flight have completed.
template <class D, class T>
void LoopCore<D, T>::pause_to_think() {
  const std::uint64_t whole = std::min(context_.job.thinktime_ns, (read(), until_deadline_ns()));
  const std::uint64_t begin = last_, spin = context_.job.thinktime_spin_ns;
  if (whole > spin) measured_.overslept_ns += pause_for(whole - spin, context_.stop);
  while (ns(read() - begin) < whole && !stop_asked()) {
  }
  measured_.idle_ns += forward_ns(begin, last_);
  thought(begin);
}

// Resumes the job. Blocks that completed during the drain count towards the next pause. If that pause is already due,
// one I/O goes first. rate_ignore_thinktime: the rate schedule stood still during the pause, except for one block.
template <class D, class T>
void LoopCore<D, T>::thought(std::uint64_t began) {
  blocks_left_ = std::min<std::int64_t>(blocks_left_, 0) + context_.job.thinktime_blocks;
  think_due_ = counts_blocks_ && blocks_left_ <= 0;
  if (think_due_) until_pause_ = 1;
  think_end_ = last_;
  if (!think_.rate_ignores || !context_.job.paced()) return;
  const std::uint64_t block_ns = paced_block_ns(context_.job);
  const std::uint64_t paused_ns = forward_ns(began, last_);
  if (paused_ns <= block_ns) return;
  const std::uint64_t shift_ns = paused_ns - block_ns;
  due_from_ += Clock::kCountsNanoseconds ? shift_ns : conversion_.to_ticks({shift_ns}).v;
}

// Pauses before the next I/O, even if further I/Os were allowed before a pause.
template <class D, class T>
void LoopCore<D, T>::pause_soon() {
  if (until_pause_ != 0) put_off_left_ = until_pause_;
  until_pause_ = 0;
}

template <class D, class T>
void LoopCore<D, T>::count_issued() {
  const std::uint64_t issued = pause_every_ - put_off_left_;
  put_off_left_ = 0;
  if (!counts_blocks_ || !think_.by_issue) return;
  blocks_left_ -= static_cast<std::int64_t>(issued);
  think_due_ |= blocks_left_ <= 0;
}

template <class D, class T>
bool LoopCore<D, T>::pause() {
  auto& loop = static_cast<D&>(*this);
  count_issued();
  until_pause_ = pause_every_;
  if (drains_first() && !loop.drain_in_flight()) return false;
  if (std::exchange(anew_, false)) {
    context_.record.set_phase(records::Phase::ramp);
    clear_measured();
    loop.measuring_begins();
    context_.watches->measuring_begins(phase_start_);
    context_.record.start_ns.store(monotonic_ns(), std::memory_order_relaxed);
    context_.record.set_phase(records::Phase::running);
  }
  const bool other_depth = std::exchange(drain_first_, false) && context_.watches != nullptr;
  if (other_depth) loop.limit_depth(context_.watches->depth());
  if (think_due_) loop.think();
  if (serializes_ && !loop.wait_for_overlapping()) return false;
  if (context_.flow != nullptr && !wait_for_flow()) return false;
  if (context_.gate != nullptr && !pass_gate()) return false;
  return !other_depth && last_ < deadline_;
}

// flow=: waits for this job's turn. False: the phase is over.
template <class D, class T>
bool LoopCore<D, T>::wait_for_flow() {
  while (!context_.flow->take()) {
    if (stop_asked() || read() >= deadline_ || !static_cast<D&>(*this).drain_in_flight()) return pause_soon(), false;
    context_.flow->wait();
  }
  return true;
}

// lockfile=, offload, zones: waits until the gate admits the next request. The request has not begun until then, so no
// latency contains the wait. False: check everything again; the phase may be over.
template <class D, class T>
bool LoopCore<D, T>::pass_gate() {
  using gates::Admission;
  while (next() != nullptr) {
    io::Request& request = block_[next_ - block_];
    if (context_.sizes != nullptr) context_.sizes->take_back(&request, &request + 1);
    const Admission admission = context_.gate->enter(request);
    if (context_.sizes != nullptr && admission != Admission::skip) context_.sizes->add(&request, &request + 1);
    if (admission == Admission::go) break;
    if (admission != Admission::wait) return refused_by_gate(admission == Admission::fail), pause_soon(), false;
    if (stop_asked() || read() >= deadline_ || !static_cast<D&>(*this).drain_in_flight()) return pause_soon(), false;
    context_.gate->wait();
  }
  read();
  return true;
}

// The next request is not issued. The job goes on with the one after it, or ends.
template <class D, class T>
void LoopCore<D, T>::refused_by_gate(bool failed) {
  if (failed) return give_up();
  if (context_.verification != nullptr) context_.verification->not_issued(*next_);
  take();
}

template <class D, class T>
void LoopCore<D, T>::obey(watch::Watches::Next next) {
  using Next = watch::Watches::Next;
  if (next == Next::failed) return give_up();
  if (next == Next::over) deadline_ = 0;
  if (next == Next::settle) anew_ = true;
  if (next == Next::drain || next == Next::settle) {
    drain_first_ = true;
    pause_soon();
  } else if (const auto depth = context_.watches->depth(); depth != 0 && !drain_first_) {
    static_cast<D&>(*this).limit_depth(depth);
  }
}

// thinktime and related options, if they count completions; ramp_size.
template <class D, class T>
void LoopCore<D, T>::after_each(const io::Request& request, std::uint64_t now) {
  if (context_.gate != nullptr) context_.gate->ended(request, 0);
  if (ramp_left_bytes_ != 0 && context_.record.get_phase() == records::Phase::ramp) {
    ramp_left_bytes_ -= std::min<std::uint64_t>(ramp_left_bytes_, request.length);
    if (ramp_left_bytes_ == 0) deadline_ = 0;
  }
  if (thinks_) {
    if (counts_blocks_ && !think_.by_issue) think_due_ |= --blocks_left_ <= 0;
    if (think_.iotime_ns != 0) think_due_ |= forward_ns(think_end_, now) >= think_.iotime_ns;
    if (think_due_) pause_soon();
  }
  if (think_.cycles == 0) return;
  for (std::uint64_t i = 0; i < think_.cycles; ++i) asm volatile("");
  read();
}

template <class D, class T>
bool LoopCore<D, T>::ends_when_full(const io::Request& request, int err) {
  if ((err != ENOSPC && err != EDQUOT) || !context_.job.template of<job::fields::FileOptions>().fill_device)
    return false;
  if (context_.verification != nullptr) context_.verification->ended(request, false);
  exhausted_ = true;
  next_ = block_end_;
  deadline_ = 0;
  return true;
}

template <class D, class T>
records::ErrorRecord* LoopCore<D, T>::io_failed(const io::Request& request, int err) {
  const bool goes_on = job::fields::goes_on_after(context_.job.template of<job::fields::Errors>(), request.dir, err);
  if (request.dir != io::Dir::sync) measured_.error_ios[io::index(request.dir)].add(1);
  if (context_.watches != nullptr) context_.watches->failed(request, since_start_ns());
  if (context_.gate != nullptr) context_.gate->ended(request, err);
  if (context_.verification != nullptr) context_.verification->ended(request, false);
  auto* const e = context_.record.add_io_error(err, goes_on, request, context_.first_target);
  context_.record.take_refusal(e);
  if (!goes_on) give_up();
  return e;
}

// verify_async: waits for the checks of all data read.
template <class D, class T>
void LoopCore<D, T>::settle_verification() {
  if constexpr (kInstrumented)
    if (context_.verification != nullptr) context_.verification->settle(context_.record);
}

template <class D, class T>
void LoopCore<D, T>::begin_reading_back() {
  if (next_ != block_end_) context_.verification->not_issued(*next_);
  workload::Source& reads = context_.verification->begin_reading_back(context_.record);
  context_.source = context_.places == nullptr ? &reads : &context_.places->continue_with(reads);
  context_.sizes = nullptr;
  exhausted_ = false;
  next_ = block_end_ = nullptr;
  until_pause_ = pause_every_ = ~0u;
  thinks_ = think_due_ = false;
  deadline_ = ~0ull;
}

}  // namespace fathom::run::loop
