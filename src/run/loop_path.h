// The loop's path: phases, prepare, submit, stamp, reap, record. An I/O that goes well sees nothing but this file.
#pragma once
#include "run/loop.h"

namespace fathom::run {

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
  context_.at_end();
  const std::uint64_t end = read();
  context_.record.elapsed_ns = end > phase_start_ ? ns(end - phase_start_) : 0;
  context_.record.job_ns = end > job_start_ ? ns(end - job_start_) : 0;
  context_.record.interrupted = stopped_;
}

FATHOM_LOOP void FATHOM_LOOP_OF::begin_measuring() {
  const bool ramped = context_.job.ramp_ns > 0;
  // A job whose work is done before its ramp is over keeps what it measured in it: better than nothing, and it is said.
  context_.record.ended_in_ramp = ramped && (exhausted_ || failed_);
  if (ramped && !context_.record.ended_in_ramp) {
    std::memset(static_cast<void*>(&measured_), 0, sizeof measured_);
    phase_start_ = read();
  }
  if (kFakeTime || ramped) context_.record.start_ns.store(monotonic_ns(), std::memory_order_relaxed);
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
    if (reap(wanted_completions()) == Step::stop) return;
    if (in_flight_ <= low_target_) low_target_ = 0;
  } while (!over());
}

FATHOM_LOOP bool FATHOM_LOOP_OF::over() {
  if constexpr (S == Stamping::none) {
    if (++turns_ >= turns_a_reading_) {
      const std::uint64_t before = last_;
      turns_ = 0;
      const bool slow = ns(read() - before) > 1'000'000;
      turns_a_reading_ = slow ? std::max(1u, turns_a_reading_ / 2) : std::min(64u, turns_a_reading_ * 2);
    }
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
      s.start = s.issue = read();
    else
      s.start = last_;
    std::byte* buffer = context_.buffers.at(slot);
    if (request.dir == io::Dir::write)
      workload::scramble(buffer, request.length, request.offset, context_.scramble_seed);
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
  unrung_ += posted;
  ++measured_.depth.submit[batch_bucket(posted)];
  ++measured_.depth.submit_calls;
  ring_all();
  if constexpr (S == Stamping::fio && !Y) {
    stamp = read();
    for (unsigned i = 0; i < posted; ++i) slots_[posted_[i]].issue = stamp;
  }
}

// How many completions to wait for: as many as the user wrote when there is nothing else to do, else none.
FATHOM_LOOP unsigned FATHOM_LOOP_OF::wanted_completions() const {
  const bool only_wait = exhausted_ || in_flight_ >= depth_ || low_target_ != 0;
  if (!only_wait) return 0;
  // A fake clock does not move by looking at it.
  return std::min(kFakeTime ? std::max(1u, complete_min_) : complete_min_, in_flight_);
}

FATHOM_LOOP typename FATHOM_LOOP_OF::Step FATHOM_LOOP_OF::reap(unsigned min) {
  const std::uint64_t before = last_;
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
    if (now < issue || issue < s.start) [[unlikely]] {  // the clock stepped back: no latency can be told
      ++measured_.clock_steps_back;
      return;
    }
    d.clat.add(ns(now - issue));
    d.lat.add(ns(now - s.start));
    if constexpr (!Y) d.slat.add(ns(issue - s.start));
  }
  if constexpr (P) {
    if (s.request.due_ns != 0) d.intended.add(ns(now - due_ticks(s.request)));
  }
}

#undef FATHOM_LOOP
#undef FATHOM_LOOP_OF

}  // namespace fathom::run
