// The loop of engines with a queue: null at iodepth > 1, io_uring, nvme, sim, and any other through engine/batch.h. An
// I/O without an error needs only this file. The cases outside its path are in queue_loop_slow.h.
//
// Problem: at ten million I/Os per second, an I/O has some 400 cycles, and each clock read takes tens of them. A loop
// that reads the clock twice per I/O, or tests options that cannot change, measures itself.
//
// Choice: the batch width decides. As the user wrote it, the loop fills up to the depth, batch by batch
// (iodepth_batch), then waits for iodepth_batch_complete_min. It makes no larger batches than requested. One clock read
// stamps all I/Os posted between two doorbells, and one stamps all I/Os of a reap. The span of a batch is the error of
// its stamps, and is recorded with them (docs/reference/metrics.md). I/Os of a reaped batch with equal stamps are
// binned once, with a count. Submitting and waiting are one system call if the engine supports it (ring(wait_for)).
//
// The properties fixed for a job are one parameter (LoopTraits): engine, clock, placement of the stamps, and whether
// the loop is instrumented (rates, think time, verification, single stamps). A slot is one cache line.
// Source: the field's account of 10 million IOPS on one thread. docs/dev/performance.md lists the gain of each choice.
#pragma once
#include <bit>
#include <cerrno>
#include <memory>
#include <span>
#include <vector>

#include "run/loop/loop_pause.h"

namespace fathom::run::loop {

// fio's buckets of batch sizes: 0, 1-4, 5-8, 9-16, 17-32, 33-64, more. Its buckets of the depth at submission: 1, 2, 4,
// 8, 16, 32, 64 and more.
[[gnu::always_inline]] inline std::size_t batch_bucket(unsigned n) {
  return n == 0 ? 0u : static_cast<std::size_t>(std::clamp(static_cast<int>(std::bit_width(n - 1)) - 1, 1, 6));
}
[[gnu::always_inline]] inline std::size_t depth_bucket(unsigned n) {
  return 31u ^ static_cast<unsigned>(std::countl_zero(n < 64 ? n : 64u));  // n >= 1
}

// An engine that moves an I/O completely or not at all: its results are 0 or -errno.
template <class Engine>
concept WholeOrNothing = requires {
  requires Engine::kWholeOrNothing;
};
// An engine that polls its queues. A wait may return without a completion, and counts as idle time.
template <class Engine>
concept Polls = requires {
  requires Engine::kPolls;
};

// An engine that receives whole batches. It does not copy requests, but reads those of the loop.
template <class Engine>
concept TakesBatches = requires {
  requires Engine::kTakesBatches;
};

// The loop's count for an engine that polls: I/Os that have ended, with or without an error.
inline std::uint64_t ended_ios(const records::Measured& m) {
  std::uint64_t ios = m.sync_ios.get();
  for (std::size_t d = 0; d < io::kDataDirs; ++d) ios += m.done.ios[d].get() + m.error_ios[d].get();
  return ios;
}

template <class T>
class QueueLoop : public LoopCore<QueueLoop<T>, T> {
  using Core = LoopCore<QueueLoop, T>;
  friend Core;
  using Engine = typename T::Engine;
  using Clock = typename T::Clock;
  static constexpr bool kInstrumented = T::kInstrumented, kDivided = T::kDivided;  // kDivided: each I/O separately
  static constexpr bool kCutsShort = !WholeOrNothing<Engine> && !NeverFails<Engine>;

 public:
  QueueLoop(Engine& engine, Clock clock, LoopContext& context);

  static constexpr bool kTakesSlat = true;

  // device_group_loop.h uses these instead of run(): the queue runs in turns, and never waits. Only for engines that
  // poll.
  void take_turns(records::DeviceRecord& device) {
    device_ = &device;
    in_turns_ = true;
  }
  void begin_phase(std::uint64_t job_start, std::uint64_t phase_start, std::uint64_t deadline);
  bool turn();
  void begin_draining();
  bool drain_turn();
  using Core::begin_reading_back;
  Engine& engine() { return engine_; }
  std::uint32_t in_flight() const { return in_flight_; }
  bool exhausted() const { return Core::exhausted_; }
  bool failed() const { return Core::failed_; }
  bool phase_is_over() const { return Core::deadline_ == 0; }  // ended by this queue's own I/Os
  std::uint64_t not_before_ns() const { return not_before_ns_; }

 private:
  struct alignas(64) Slot {  // what completion needs about an I/O in flight: one cache line
    io::Request request;
    std::uint64_t start, issue;
    std::uint32_t done_bytes;  // bytes moved earlier, of a short I/O
  };
  static_assert(sizeof(Slot) == 64);
  // record_all compares the last eight bytes of a request at once.
  static_assert(offsetof(io::Request, length) == 16 && offsetof(io::Request, dir) == 22);
  enum class Step { go_on, stop };
  // I/Os of one reaped batch with equal values in everything that is recorded.
  struct Alike {
    std::uint64_t start, issue, tail;  // tail: length, target, direction and flags of the request
    std::uint64_t ios;
  };

  void phase();
  bool may_start_in_turn(const io::Request& request, unsigned posted);
  void measuring_begins();
  void ended();
  void one_in_one_out();
  void leave_full(std::uint32_t unrung);
  unsigned fill();
  void post_all(const io::Request* requests, unsigned n, unsigned posted);
  bool may_start(const io::Request& request, unsigned posted);
  void post(std::uint32_t slot, const io::Request& request, bool alone = false);
  void post_into(Slot& s, std::uint32_t slot, const io::Request& request, std::byte* buffer, std::uint64_t start,
                 bool alone = false);
  void submit(unsigned posted);
  unsigned wanted_completions() const;
  Step reap(unsigned min);
  void count_reap(int n, std::uint64_t before, std::uint64_t now);
  void record_all(int n, std::uint64_t now);
  void stamp_one(Slot& s);
  void record_slat_of(const Slot& s);
  void record_batch(std::uint64_t start, std::uint64_t issue);
  void record_alike(const Alike& alike, std::uint64_t now);
  void freed_up_to(const std::uint32_t* free);
  void record(io::Completion completion, std::uint64_t now);
  void record_whole(const Slot& s, std::uint64_t now);
  bool read_whole_verified(std::uint32_t slot);
  bool short_or_failed(io::Completion completion, const Slot& s) const;
  void count_levels(std::uint32_t from, std::uint32_t to);
  int look_then_wait(unsigned min, std::span<io::Completion> out);
  [[gnu::noinline]] void wait_idle();

  void ring_all(unsigned wait_for);
  [[gnu::noinline, gnu::cold]] void ring_again(int result);
  [[gnu::noinline, gnu::cold]] void refuse_unrung(int err);
  [[gnu::noinline, gnu::cold]] void finish_short_or_failed(std::uint32_t slot, std::int32_t result);
  [[gnu::noinline, gnu::cold]] Step reap_failed(int err);
  [[gnu::noinline]] void wait_for_due(std::uint64_t due_ns);
  [[gnu::noinline]] void think();
  bool drain_in_flight();
  bool wait_for_overlapping();
  bool overlaps_in_flight(const io::Request& request);
  void limit_depth(std::uint32_t depth);
  [[gnu::noinline]] void drain();
  int drain_once(unsigned min);
  // Accessed in every turn, in addition to LoopCore's: one cache line.
  alignas(64) Engine& engine_;
  const std::unique_ptr<Slot[]> slots_;
  // Free slots, followed by those of the batch that is being posted. posted_ holds that batch's slots for fio's
  // placement of stamps, which returns to a batch after its submitting call.
  const std::unique_ptr<std::uint32_t[]> free_, posted_;
  const std::unique_ptr<io::Completion[]> completions_;
  std::uint32_t depth_;  // current limit
  const std::uint32_t batch_;
  std::uint32_t in_flight_ = 0, unrung_ = 0, low_target_ = 0, free_count_;
  // For a reap and a post.
  std::byte* const buffers_;
  const std::size_t buffer_stride_;
  const std::uint32_t complete_min_, complete_max_, low_;
  const bool one_by_one_;
  bool ringing_ = false, in_turns_ = false, thinking_ = false;
  std::uint32_t dirs_[4] = {};  // counts of the batch that is being posted
  records::DeviceRecord* device_ = nullptr;
  std::vector<char> flying_;         // serialize_overlap: by slot
  std::uint64_t not_before_ns_ = 0;  // in turns: no submission before this time since job_start_
};

template <class T>
QueueLoop<T>::QueueLoop(Engine& engine, Clock clock, LoopContext& context)
    : Core(clock, context),
      engine_(engine),
      slots_(new Slot[context.job.iodepth]),
      free_(new std::uint32_t[context.job.iodepth]),
      posted_(new std::uint32_t[context.job.iodepth]),
      completions_(new io::Completion[context.job.iodepth]),
      depth_(context.job.iodepth),
      batch_(std::min(depth_, std::max(1u, context.job.iodepth_batch))),
      free_count_(depth_),
      buffers_(context.buffers.base),
      buffer_stride_(context.buffers.stride),
      complete_min_(std::min(depth_, context.job.iodepth_batch_complete_min)),
      complete_max_(std::min(depth_, std::max({1u, context.job.iodepth_batch_complete_max, complete_min_}))),
      low_(context.job.iodepth_low == 0 ? depth_ : std::min(depth_, context.job.iodepth_low)),
      one_by_one_(!kInstrumented && batch_ == 1 && complete_min_ == 1 && complete_max_ == 1 && low_ == depth_) {
  for (std::uint32_t i = 0; i < depth_; ++i) free_[i] = depth_ - 1 - i;
  if (kInstrumented && Core::serializes_) flying_.resize(depth_);
  if (context.split != nullptr) context.split->follow_this_task(false);
}

// One phase: until its time is over, the work is done, an I/O failed, or a stop was requested.
template <class T>
void QueueLoop<T>::phase() {
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

// The common job: batches of one in both directions, and a queue that is full except for one slot. One I/O is submitted
// and one completes, and its slot is used next. The list of free slots and the counts of the queue do not change. The
// loop above handles all other cases.
template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::one_in_one_out() {
  records::Measured& m = Core::measured_;
  constexpr unsigned wait_for = 1;
  std::uint64_t* const level = &m.submit.level[depth_bucket(depth_)];
  Slot* const slots = slots_.get();
  std::uint32_t slot = free_[0];
  do {
    FATHOM_MARK("loop.turn.full");
    const io::Request* const request = Core::next();
    if (request == nullptr) break;
    Core::take();
    post(slot, *request, true);
    ++*level;
    ++m.submit.alone;
    if (!Core::stamps(Stamping::fio)) stamp_one(slots[slot]);
    [[maybe_unused]] const int taken = engine_.ring(Core::stamps(Stamping::fio) ? 0 : wait_for);
    if constexpr (!NeverFails<Engine> && !Polls<Engine>) {
      if (taken != 1) [[unlikely]] {
        leave_full(1);
        ring_again(taken);
        if (Core::stamps(Stamping::fio)) stamp_one(slots[slot]);
        record_slat_of(slots[slot]);
        return;
      }
    }
    if (Core::stamps(Stamping::fio)) stamp_one(slots[slot]);
    io::Completion done;
    const int reaped = look_then_wait(wait_for, {&done, 1});
    const std::uint64_t now = Core::reads() ? Core::read() : 0;
    record_slat_of(slots[slot]);
    if (reaped != 1) [[unlikely]] {
      leave_full(0);
      if (reaped < 0)
        reap_failed(-reaped);
      else
        ++m.reap.empty;
      return;
    }
    ++m.reap.alone;
    if (short_or_failed(done, slots[done.slot])) [[unlikely]] {
      leave_full(0);
      return finish_short_or_failed(done.slot, done.result);
    }
    record_whole(slots[done.slot], now);
    slot = done.slot;
  } while (!Core::over());
  free_[0] = slot;
}

// Prepares up to one batch. Requests that are not due yet stay in the block.
template <class T>
[[gnu::always_inline]] inline unsigned QueueLoop<T>::fill() {
  unsigned posted = 0;
  if (low_target_ != 0) return 0;
  const unsigned room = depth_ - in_flight_;
  const unsigned want = batch_ < room ? batch_ : room;
  while (posted < want) {
    const io::Request* const request = Core::next();
    if (request == nullptr) break;
    if constexpr (!kInstrumented) {
      const unsigned n = std::min(want - posted, Core::left_in_block());
      post_all(request, n, posted);
      posted += n;
    } else {
      if (!may_start(*request, posted)) break;
      Core::take();
      const std::uint32_t slot = free_[--free_count_];
      post(slot, *request);
      if (Core::stamps(Stamping::fio)) posted_[posted] = slot;
      ++posted;
    }
  }
  return posted;
}

// Posts the next n requests of the block unchanged. posted: requests of the batch before them.
template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::post_all(const io::Request* requests, unsigned n, unsigned posted) {
  const std::uint32_t* free = free_.get() + free_count_;
  // Copies: the compiler must assume that the engine's stores may change these members.
  Slot* const slots = slots_.get();
  std::byte* const buffers = buffers_;
  const std::size_t stride = buffer_stride_;
  const std::uint64_t start = Core::last_;
  for (unsigned i = 0; i < n; ++i) {
    const std::uint32_t slot = *--free;
    post_into(slots[slot], slot, requests[i], buffers + slot * stride, start);
    if (Core::stamps(Stamping::fio)) posted_[posted + i] = slot;
  }
  free_count_ -= n;
  Core::take(n);
}

// Whether a paced or thinking job may issue this request now. Waits for that time if there is nothing else to do.
template <class T>
[[gnu::always_inline]] inline bool QueueLoop<T>::may_start(const io::Request& request, unsigned posted) {
  if constexpr (Polls<Engine>)
    if (in_turns_) return may_start_in_turn(request, posted);
  if (io::is_paced(request) && Core::since_start_ns() < request.due_ns) {
    if (posted > 0) return false;
    wait_for_due(request.due_ns);
    if (Core::since_start_ns() < request.due_ns) return false;
  }
  if (Core::until_pause_ == 0 && (posted > 0 || !Core::pause())) return false;
  Core::record_start(request);
  return true;
}

template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::post(std::uint32_t slot, const io::Request& request, bool alone) {
  post_into(slots_[slot], slot, request, buffers_ + slot * buffer_stride_, Core::last_, alone);
}

template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::post_into(Slot& s, std::uint32_t slot, const io::Request& request,
                                                           std::byte* buffer, std::uint64_t start, bool alone) {
  s.request = request;
  if constexpr (kCutsShort) s.done_bytes = 0;
  if (Core::stamps(Stamping::fio))
    s.start = s.issue = Core::read();
  else
    s.start = start;
  if (request.dir == io::Dir::write) Core::give_content(request, buffer, Core::stamps(Stamping::fio) ? s.start : start);
  Core::publish(slot, request);
  engine_.post(slot, TakesBatches<Engine> ? s.request : request, buffer);
  if (!alone) ++dirs_[io::index(request.dir)];
}

template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::submit(unsigned posted) {
  auto& counts = Core::measured_.submit;
  const std::uint64_t prepared_from = Core::last_;
  if (Core::stamps(Stamping::fathom)) {
    const std::uint64_t stamp = Core::read();
    const std::uint32_t* const batch = free_.get() + free_count_;
#pragma GCC unroll 4
    for (unsigned i = 0; i < posted; ++i) slots_[batch[i]].issue = stamp;
    record_batch(prepared_from, stamp);
    if (posted > 1) counts.batches.add(posted, batch_bucket(posted), Core::forward_ns(prepared_from, stamp));
  } else {
    if (Core::stamps(Stamping::none)) record_batch(0, 0);
    if (posted > 1) counts.batches.add(posted, batch_bucket(posted), 0);
  }
  counts.alone += posted == 1;
  count_levels(in_flight_, in_flight_ + posted);
  in_flight_ += posted;
  unrung_ += posted;
  if (in_flight_ >= depth_ && low_ < depth_) low_target_ = low_;
  const bool fills_on = in_flight_ < depth_ && !Core::exhausted_ && low_target_ == 0;
  // fio stamps between the two calls: its slat must not contain the wait.
  ring_all(fills_on || Core::stamps(Stamping::fio) ? 0 : wanted_completions());
  if (Core::stamps(Stamping::fio)) {
    const std::uint64_t stamp = Core::read();
    for (unsigned i = 0; i < posted; ++i) {
      Slot& s = slots_[posted_[i]];
      s.issue = stamp;
      if (s.request.dir != io::Dir::sync) Core::record_slat(Core::direction(s.request.dir), s.start, stamp, 1);
      counts.issued[io::index(s.request.dir)].add(1);
    }
    std::fill_n(dirs_, std::size(dirs_), 0u);
  }
}

// One call in the common case.
template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::ring_all(unsigned wait_for) {
  if constexpr (NeverFails<Engine> || Polls<Engine>) {  // such an engine always takes all
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

// The number of completions to wait for: the user's if there is nothing else to do, otherwise 0.
template <class T>
[[gnu::always_inline]] inline unsigned QueueLoop<T>::wanted_completions() const {
  const bool only_wait = Core::exhausted_ || in_flight_ >= depth_ || low_target_ != 0;
  if (!only_wait) return 0;
  // A fake clock does not advance when it is read.
  const unsigned min = Core::kFakeTime ? std::max(1u, complete_min_) : complete_min_;
  return min < in_flight_ ? min : in_flight_;
}

template <class T>
[[gnu::always_inline]] inline auto QueueLoop<T>::reap(unsigned min) -> Step {
  const std::uint64_t before = Core::last_;
  const int n = look_then_wait(min, {completions_.get(), complete_max_});
  if constexpr (!NeverFails<Engine>)
    if (n < 0) [[unlikely]]
      return reap_failed(-n);
  const std::uint64_t now = Core::reads() ? Core::read() : 0;
  count_reap(n, before, now);
  record_all(n, now);
  return Step::go_on;
}

// An engine that polls is polled first. The time after an unsuccessful poll is idle time.
template <class T>
[[gnu::always_inline]] inline int QueueLoop<T>::look_then_wait(unsigned min, std::span<io::Completion> out) {
  if constexpr (!Polls<Engine>) {
    return engine_.reap(min, out);
  } else {
    for (bool waited = false;; waited = true) {
      const int n = engine_.reap(0, out);
      if (n != 0 || waited) return n;
      if (min == 0) {
        engine_.idle();
        return 0;
      }
      wait_idle();
    }
  }
}

// Only waits. The path reaps the completions, so that neither its time nor its instructions count as idle.
template <class T>
void QueueLoop<T>::wait_idle() {
  if constexpr (Polls<Engine>) {
    const std::uint64_t from = Core::read();
    engine_.wait();
    Core::measured_.idle_ns += Core::forward_ns(from, Core::read());
  }
}

template <class T>
[[gnu::always_inline]] inline bool QueueLoop<T>::short_or_failed(io::Completion completion, const Slot& s) const {
  if constexpr (NeverFails<Engine>)
    return false;
  else if constexpr (WholeOrNothing<Engine>)
    return completion.result != 0;
  else
    return completion.result != static_cast<std::int32_t>(s.request.length);
}

// Records slat and depth when a batch is stamped, clat and lat when a batch completes. I/Os that one call submitted and
// one call reaped share their stamps. Their latencies are one value, binned once.

template <class T>  // the issue of a batch of one
[[gnu::always_inline]] inline void QueueLoop<T>::stamp_one(Slot& s) {
  if (!Core::stamps(Stamping::none)) s.issue = Core::read();
  Core::measured_.submit.issued[io::index(s.request.dir)].add(1);
}

// Called after the next clock read. Earlier, recording would delay that read and be part of the latency.
template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::record_slat_of(const Slot& s) {
  if (s.request.dir != io::Dir::sync) Core::record_slat(Core::direction(s.request.dir), s.start, s.issue, 1);
}

// Counts the submissions of a batch, by direction.
template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::record_batch(std::uint64_t start, std::uint64_t issue) {
  for (std::size_t d = 0; d < std::size(dirs_); ++d) {
    if (dirs_[d] == 0) continue;
    Core::measured_.submit.issued[d].add(dirs_[d]);
    if (d != io::index(io::Dir::sync))
      Core::record_slat(Core::direction(static_cast<io::Dir>(d)), start, issue, dirs_[d]);
    dirs_[d] = 0;
  }
}

// Counts the depth at which each I/O of a batch was submitted: from + 1 to `to`.
template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::count_levels(std::uint32_t from, std::uint32_t to) {
  while (from < to) {
    const std::size_t bucket = depth_bucket(from + 1);
    const std::uint32_t until = bucket == 6 ? to : std::min(to, (2u << bucket) - 1);
    Core::measured_.submit.level[bucket] += until - from;
    from = until;
  }
}

template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::count_reap(int n, std::uint64_t before, std::uint64_t now) {
  auto& counts = Core::measured_.reap;
  if (n == 1) [[likely]] {
    ++counts.alone;
  } else if (n == 0) {
    ++counts.empty;
  } else {
    const auto ios = static_cast<unsigned>(n);
    counts.batches.add(ios, batch_bucket(ios), Core::reads() ? Core::forward_ns(before, now) : 0);
  }
}

template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::record_all(int n, std::uint64_t now) {
  if (kInstrumented || kDivided || n <= 1) {
    for (int i = 0; i < n; ++i) record(completions_[static_cast<std::size_t>(i)], now);
    return;
  }
  Alike alike{};
  const io::Completion *done = completions_.get(), *const end = done + n;
  std::uint32_t* free = free_.get() + free_count_;
  Slot* const slots = slots_.get();
  for (; done != end; ++done) {
    const Slot& s = slots[done->slot];
    if (short_or_failed(*done, s)) [[unlikely]] {
      freed_up_to(free);
      finish_short_or_failed(done->slot, done->result);
      free = free_.get() + free_count_;
      continue;
    }
    *free++ = done->slot;
    std::uint64_t tail;
    std::memcpy(&tail, &s.request.length, sizeof tail);
    if (tail == alike.tail && (Core::stamps(Stamping::none) || (s.issue == alike.issue && s.start == alike.start))) {
      ++alike.ios;
      continue;
    }
    if (alike.ios != 0) record_alike(alike, now);
    alike = {s.start, s.issue, tail, 1};
  }
  freed_up_to(free);
  if (alike.ios != 0) record_alike(alike, now);
}

template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::freed_up_to(const std::uint32_t* free) {
  const auto count = static_cast<std::uint32_t>(free - free_.get());
  in_flight_ -= count - free_count_;
  free_count_ = count;
}

template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::record_alike(const Alike& alike, std::uint64_t now) {
  records::Measured& m = Core::measured_;
  const auto dir = static_cast<std::size_t>(alike.tail >> 48 & 3);
  const std::uint64_t length = alike.tail & 0xffffffff;
  if (dir == io::index(io::Dir::sync)) [[unlikely]] {
    m.sync_ios.add(alike.ios);
    for (std::uint64_t i = 0; i < alike.ios; ++i) Core::record_sync(alike.issue, now);
    return;
  }
  m.done.ios[dir].add(alike.ios);
  m.done.bytes[dir].add(alike.ios * length);
  const std::int64_t lat_ns =
      Core::record_latencies(Core::direction(static_cast<io::Dir>(dir)), alike.start, alike.issue, now, alike.ios);
  if constexpr (Polls<Engine>)
    if (device_ != nullptr && lat_ns >= 0) device_->add(dir, alike.ios, static_cast<std::uint64_t>(lat_ns));
}

template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::record(io::Completion completion, std::uint64_t now) {
  const Slot& s = slots_[completion.slot];
  if (short_or_failed(completion, s)) [[unlikely]]
    return finish_short_or_failed(completion.slot, completion.result);
  --in_flight_;
  free_[free_count_++] = completion.slot;
  if constexpr (kInstrumented)
    if (!read_whole_verified(completion.slot)) return;
  record_whole(s, now);
}

template <class T>
[[gnu::always_inline]] inline void QueueLoop<T>::record_whole(const Slot& s, std::uint64_t now) {
  records::Measured& m = Core::measured_;
  if (s.request.dir == io::Dir::sync) [[unlikely]] {
    m.sync_ios.add(1);
    Core::take_split(static_cast<std::uint32_t>(&s - slots_.get()), s.request, s.issue, now);
    Core::record_sync(s.issue, now);
    if constexpr (kInstrumented) Core::tell_sync(s.request, s.issue, now);
    return;
  }
  m.done.ios[io::index(s.request.dir)].add(1);
  m.done.bytes[io::index(s.request.dir)].add(s.request.length);
  Core::take_split(static_cast<std::uint32_t>(&s - slots_.get()), s.request, s.start, now,
                   Core::stamps(Stamping::fathom) ? s.issue : 0);
  const std::int64_t lat_ns = Core::record_latency(Core::direction(s.request.dir), s.start, s.issue, now);
  if (lat_ns >= 0) Core::record_lateness(s.request, now);
  if constexpr (kInstrumented)
    if (lat_ns >= 0) Core::tell(s.request, kCutsShort ? s.done_bytes : 0, s.start, s.issue, now);
  if constexpr (Polls<Engine>)
    if (device_ != nullptr && lat_ns >= 0)
      device_->add(io::index(s.request.dir), 1, static_cast<std::uint64_t>(lat_ns));
}

}  // namespace fathom::run::loop
