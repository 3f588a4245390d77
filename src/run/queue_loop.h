// The loop of engines with a queue: null at iodepth > 1, libaio, io_uring, sim. An I/O that goes well sees nothing but
// this file; what happens beside the path is in queue_loop_slow.h.
//
// As the user wrote it: fill up to the depth, batch by batch (iodepth_batch), then wait for iodepth_batch_complete_min.
// Submitting and waiting are one system call where the engine can (ring(wait_for)); larger batches than asked for are
// not made.
#pragma once
#include <bit>
#include <cerrno>
#include <memory>

#include "run/loop_core.h"

namespace fathom::run {

// fio's buckets of a batch's size: 0, 1-4, 5-8, 9-16, 17-32, 33-64, more; and of the depth at submission: 1, 2, 4, 8,
// 16, 32, 64 and more.
[[gnu::always_inline]] inline std::size_t batch_bucket(unsigned n) {
  return n == 0 ? 0u : static_cast<std::size_t>(std::clamp(static_cast<int>(std::bit_width(n - 1)) - 1, 1, 6));
}
[[gnu::always_inline]] inline std::size_t depth_bucket(unsigned n) {
  return 31u ^ static_cast<unsigned>(std::countl_zero(n < 64 ? n : 64u));  // n >= 1
}

template <class Engine, class Clock, Stamping kStamps, bool kPaced>
class QueueLoop : public LoopCore<QueueLoop<Engine, Clock, kStamps, kPaced>, Clock, kStamps, kPaced> {
  using Core = LoopCore<QueueLoop, Clock, kStamps, kPaced>;
  friend Core;

 public:
  QueueLoop(Engine& engine, Clock clock, LoopContext& context);

 private:
  struct alignas(64) Slot {  // what completion needs of an I/O in flight: one cache line
    io::Request request;
    std::uint64_t start, issue;
    std::uint32_t done_bytes;  // of an I/O that came back short
  };
  static_assert(sizeof(Slot) == 64);
  enum class Step { go_on, stop };

  void phase();
  void one_in_one_out();
  void leave_full(std::uint32_t unrung);
  unsigned fill();
  bool may_start(const io::Request& request, unsigned posted);
  void post(std::uint32_t slot, const io::Request& request);
  void submit(unsigned posted);
  unsigned wanted_completions() const;
  Step reap(unsigned min);
  void count_reap(int n, std::uint64_t before, std::uint64_t now);
  void record_all(int n, std::uint64_t now);
  void record(io::Completion completion, std::uint64_t now);
  void record_well(const Slot& s, std::uint64_t now);

  void ring_all(unsigned wait_for);
  [[gnu::noinline, gnu::cold]] void ring_again(int result);
  [[gnu::noinline, gnu::cold]] void refuse_unrung(int err);
  [[gnu::noinline, gnu::cold]] void finish_oddly(std::uint32_t slot, std::int32_t result);
  [[gnu::noinline, gnu::cold]] Step reap_failed(int err);
  [[gnu::noinline]] void wait_for_due(std::uint64_t due_ns);
  [[gnu::noinline]] void think();
  [[gnu::noinline]] void drain();

  // What every turn touches beside LoopCore's: one cache line.
  alignas(64) Engine& engine_;
  const std::unique_ptr<Slot[]> slots_;
  const std::unique_ptr<std::uint32_t[]> free_, posted_;  // slots that are free; slots of the batch
  const std::unique_ptr<io::Completion[]> completions_;
  const std::uint32_t depth_, batch_;
  std::uint32_t in_flight_ = 0, unrung_ = 0, low_target_ = 0, free_count_;
  // What a reap and a post look up.
  std::byte* const buffers_;
  const std::size_t buffer_stride_;
  const std::uint32_t complete_min_, complete_max_, low_;
  const bool one_by_one_;
  bool ringing_ = false;
};

#define FATHOM_LOOP template <class E, class C, Stamping S, bool P>
#define FATHOM_LOOP_OF QueueLoop<E, C, S, P>
#define FATHOM_HOT FATHOM_LOOP [[gnu::always_inline]] inline

FATHOM_LOOP FATHOM_LOOP_OF::QueueLoop(E& engine, C clock, LoopContext& context)
    : Core(clock, context),
      engine_(engine),
      slots_(new Slot[context.job.iodepth]),
      free_(new std::uint32_t[context.job.iodepth]),
      posted_(new std::uint32_t[context.job.iodepth]),
      completions_(new io::Completion[context.job.iodepth]),
      depth_(context.job.iodepth),
      batch_(std::min(depth_, std::max(1u, context.job.iodepth_batch))),
      free_count_(depth_),
      buffers_(context.buffers.base()),
      buffer_stride_(context.buffers.stride()),
      complete_min_(std::min(depth_, context.job.iodepth_batch_complete_min)),
      complete_max_(std::min(depth_, std::max({1u, context.job.iodepth_batch_complete_max, complete_min_}))),
      low_(context.job.iodepth_low == 0 ? depth_ : std::min(depth_, context.job.iodepth_low)),
      one_by_one_(!P && batch_ == 1 && complete_min_ == 1 && complete_max_ == 1 && low_ == depth_) {
  for (std::uint32_t i = 0; i < depth_; ++i) free_[i] = depth_ - 1 - i;
}

// One phase: until its time is over, the work is done, an I/O failed, or someone asked to stop.
FATHOM_LOOP void FATHOM_LOOP_OF::phase() {
  do {
    FATHOM_MARK("loop.turn");
    const unsigned posted = fill();
    if (posted > 0) submit(posted);
    if (in_flight_ == 0) {
      if (posted == 0 && Core::exhausted_) return;
      continue;
    }
    if (in_flight_ < depth_ && posted > 0 && !Core::exhausted_ && low_target_ == 0) continue;
    if (reap(wanted_completions()) == Step::stop) return;
    if (in_flight_ <= low_target_) low_target_ = 0;
    if (one_by_one_ && free_count_ == 1 && unrung_ == 0) one_in_one_out();
  } while (!Core::over());
}

// The common job: batches of one both ways, and the queue full but for one. One I/O goes in, one
// comes out, and its slot is the next to go in: neither the list of free slots nor the counts of the queue move.
// Whatever else happens is left to the loop above.
FATHOM_HOT void FATHOM_LOOP_OF::one_in_one_out() {
  Measured& m = Core::measured_;
  constexpr unsigned wait_for = 1;
  std::uint64_t* const level = &m.submit.level[depth_bucket(depth_)];
  Slot* const slots = slots_.get();
  std::uint32_t slot = free_[0];
  do {
    FATHOM_MARK("loop.turn.full");
    const io::Request* const request = Core::next();
    if (request == nullptr) break;
    Core::take();
    post(slot, *request);
    ++*level;
    ++m.submit.alone;
    if constexpr (S == Stamping::fathom) slots[slot].issue = Core::read();
    const int taken = engine_.ring(S == Stamping::fio ? 0 : wait_for);
    if constexpr (!NeverFails<E>) {
      if (taken != 1) [[unlikely]] {
        leave_full(1);
        ring_again(taken);
        if constexpr (S == Stamping::fio) slots[slot].issue = Core::read();
        return;
      }
    }
    if constexpr (S == Stamping::fio) slots[slot].issue = Core::read();
    io::Completion done;
    const int reaped = engine_.reap(wait_for, {&done, 1});
    const std::uint64_t now = Core::kReads ? Core::read() : 0;
    if (reaped != 1) [[unlikely]] {
      leave_full(0);
      if (reaped < 0)
        reap_failed(-reaped);
      else
        ++m.reap.empty;
      return;
    }
    ++m.reap.alone;
    if constexpr (!NeverFails<E>) {
      if (done.result != static_cast<std::int32_t>(slots[done.slot].request.length)) [[unlikely]] {
        leave_full(0);
        return finish_oddly(done.slot, done.result);
      }
    }
    record_well(slots[done.slot], now);
    slot = done.slot;
  } while (!Core::over());
  free_[0] = slot;
}

// Every slot is in flight now, as the other members are to say.
FATHOM_LOOP void FATHOM_LOOP_OF::leave_full(std::uint32_t unrung) {
  in_flight_ = depth_;
  free_count_ = 0;
  unrung_ = unrung;
}

// Prepares up to one batch. Requests that are not due yet stay in the block.
FATHOM_HOT unsigned FATHOM_LOOP_OF::fill() {
  unsigned posted = 0;
  if (low_target_ != 0) return 0;
  const unsigned room = depth_ - in_flight_;
  const unsigned want = batch_ < room ? batch_ : room;
  while (posted < want) {
    const io::Request* const request = Core::next();
    if (request == nullptr) break;
    if constexpr (P)
      if (!may_start(*request, posted)) break;
    Core::take();
    const std::uint32_t slot = free_[--free_count_];
    post(slot, *request);
    posted_[posted++] = slot;
    ++Core::measured_.submit.level[depth_bucket(in_flight_ + posted)];
  }
  return posted;
}

// Whether a paced or thinking job may issue this request now; waits for it when nothing else is to be done.
FATHOM_LOOP bool FATHOM_LOOP_OF::may_start(const io::Request& request, unsigned posted) {
  if (request.due_ns != 0 && Core::since_start_ns() < request.due_ns) {
    if (posted > 0) return false;
    wait_for_due(request.due_ns);
    if (Core::since_start_ns() < request.due_ns) return false;
  }
  if (Core::thinks_left_ == 0 && posted == 0 && Core::context_.job.thinktime_ns != 0) think();
  Core::record_start(request);
  return true;
}

FATHOM_HOT void FATHOM_LOOP_OF::post(std::uint32_t slot, const io::Request& request) {
  Slot& s = slots_[slot];
  s.request = request;
  s.done_bytes = 0;
  if constexpr (S == Stamping::fio)
    s.start = s.issue = Core::read();
  else
    s.start = Core::last_;
  std::byte* const buffer = buffers_ + slot * buffer_stride_;
  if (request.dir == io::Dir::write)
    workload::scramble(buffer, request.length, request.offset, Core::context_.scramble_seed);
  engine_.post(slot, request, buffer);
  Core::measured_.submit.issued[io::index(request.dir)].add(1);
}

FATHOM_HOT void FATHOM_LOOP_OF::submit(unsigned posted) {
  auto& counts = Core::measured_.submit;
  if constexpr (S == Stamping::fathom) {
    const std::uint64_t prepared_from = Core::last_;
    const std::uint64_t stamp = Core::read();
    slots_[posted_[0]].issue = stamp;
    for (unsigned i = 1; i < posted; ++i) slots_[posted_[i]].issue = stamp;
    if (posted > 1) counts.batches.add(posted, batch_bucket(posted), Core::forward_ns(prepared_from, stamp));
  } else {
    if (posted > 1) counts.batches.add(posted, batch_bucket(posted), 0);
  }
  counts.alone += posted == 1;
  in_flight_ += posted;
  unrung_ += posted;
  if (in_flight_ >= depth_ && low_ < depth_) low_target_ = low_;
  const bool fills_on = in_flight_ < depth_ && !Core::exhausted_ && low_target_ == 0;
  // fio stamps between the two: what it calls slat must not contain the wait.
  ring_all(fills_on || S == Stamping::fio ? 0 : wanted_completions());
  if constexpr (S == Stamping::fio) {
    const std::uint64_t stamp = Core::read();
    for (unsigned i = 0; i < posted; ++i) slots_[posted_[i]].issue = stamp;
  }
}

// One call in the common case.
FATHOM_HOT void FATHOM_LOOP_OF::ring_all(unsigned wait_for) {
  if constexpr (NeverFails<E>) {
    engine_.ring(wait_for);
    unrung_ = 0;
  } else {
    const int n = engine_.ring(wait_for);
    if (n == static_cast<int>(unrung_)) [[likely]]
      unrung_ = 0;
    else
      ring_again(n);
  }
}

// How many completions to wait for: as many as the user wrote when there is nothing else to do, else none.
FATHOM_HOT unsigned FATHOM_LOOP_OF::wanted_completions() const {
  const bool only_wait = Core::exhausted_ || in_flight_ >= depth_ || low_target_ != 0;
  if (!only_wait) return 0;
  // A fake clock does not move by looking at it.
  const unsigned min = Core::kFakeTime ? std::max(1u, complete_min_) : complete_min_;
  return min < in_flight_ ? min : in_flight_;
}

FATHOM_HOT typename FATHOM_LOOP_OF::Step FATHOM_LOOP_OF::reap(unsigned min) {
  const std::uint64_t before = Core::last_;
  const int n = engine_.reap(min, {completions_.get(), complete_max_});
  if constexpr (!NeverFails<E>)
    if (n < 0) [[unlikely]]
      return reap_failed(-n);
  const std::uint64_t now = Core::kReads ? Core::read() : 0;
  count_reap(n, before, now);
  record_all(n, now);
  return Step::go_on;
}

FATHOM_HOT void FATHOM_LOOP_OF::count_reap(int n, std::uint64_t before, std::uint64_t now) {
  auto& counts = Core::measured_.reap;
  if (n == 1) [[likely]] {
    ++counts.alone;
  } else if (n == 0) {
    ++counts.empty;
  } else {
    const auto ios = static_cast<unsigned>(n);
    counts.batches.add(ios, batch_bucket(ios), Core::kReads ? Core::forward_ns(before, now) : 0);
  }
}

FATHOM_HOT void FATHOM_LOOP_OF::record_all(int n, std::uint64_t now) {
  for (int i = 0; i < n; ++i) record(completions_[static_cast<std::size_t>(i)], now);
}

FATHOM_HOT void FATHOM_LOOP_OF::record(io::Completion completion, std::uint64_t now) {
  const Slot& s = slots_[completion.slot];
  if constexpr (!NeverFails<E>)
    if (completion.result != static_cast<std::int32_t>(s.request.length)) [[unlikely]]
      return finish_oddly(completion.slot, completion.result);
  --in_flight_;
  free_[free_count_++] = completion.slot;
  record_well(s, now);
}

FATHOM_HOT void FATHOM_LOOP_OF::record_well(const Slot& s, std::uint64_t now) {
  Measured& m = Core::measured_;
  if (s.request.dir == io::Dir::sync) [[unlikely]] {
    m.sync_ios.add(1);
    Core::record_sync(s.issue, now);
    return;
  }
  m.done.ios[io::index(s.request.dir)].add(1);
  m.done.bytes[io::index(s.request.dir)].add(s.request.length);
  if (Core::template record_latency<true>(Core::direction(s.request.dir), s.start, s.issue, now))
    Core::record_lateness(s.request, now);
}

#undef FATHOM_HOT
#undef FATHOM_LOOP
#undef FATHOM_LOOP_OF

}  // namespace fathom::run
