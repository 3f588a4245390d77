// The common part of the two submit-stamp-record loops: phases, the clock and its deadline, the block of requests, and
// the record of a latency. Only sync_loop.h (an I/O is complete when its call returns) and queue_loop.h (many in
// flight) time an I/O.
// They are templates over engine, clock, placement of stamps and pacing, so that nothing fixed for a run is tested per
// I/O. They contain no allocation, lock, print, division or indirect call, except the call that refills a block of
// requests.
// Rarely used options do not justify separate loops for every engine. One generic instance (AnyClock, Stamping::chosen,
// paced) looks up clock and stamps at run time, and counts and stamps as the others would.
//
// Stamps (docs/reference/metrics.md):
//   fathom  start    = the loop's last clock read before this I/O was prepared (chained: no extra cost)
//           issue    = read once per submitted batch, just before the system call that submits it
//           complete = read once per reaped batch, just after it
//   fio     start    = read when the I/O is prepared
//           issue    = read after the submitting call (before it for synchronous engines)
//           complete = as above
//   none    gtod_reduce: one read in up to 64 turns (as many as fit in a millisecond), for the deadline only
#pragma once
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/marks.h"
#include "clock/sources/fake.h"
#include "job/fields/files.h"
#include "run/loop/context.h"
#include "run/loop/lasted.h"
#include "run/loop/pause.h"

namespace fathom::run::loop {

enum class Stamping : std::uint8_t { none, fathom, fio, chosen };  // chosen: one of the others, selected at run time

inline Stamping stamping_of(const job::Job& job) {
  if (job.gtod_reduce || (job.disable_clat && job.disable_lat && job.disable_slat)) return Stamping::none;
  return job.fio_stamps ? Stamping::fio : Stamping::fathom;
}

// The clock source that the run chose. If it counts nanoseconds, the run's conversion is the identity.
struct AnyClock {
  static constexpr bool kCountsNanoseconds = false;
  base::Ticks (*now)();
  static AnyClock of(clock::sources::Source source) {
    switch (source) {
      case clock::sources::Source::cpu:
        return {clock::sources::CpuClock::now};
      case clock::sources::Source::clock_gettime:
        return {clock::sources::MonotonicClock::now};
      case clock::sources::Source::gettimeofday:
        break;
    }
    return {clock::sources::GettimeofdayClock::now};
  }
};

// The clock of engines that run on simulated time.
struct FakeClockView {
  static constexpr bool kCountsNanoseconds = true;
  const clock::sources::FakeClock* fake;
  base::Ticks now() const { return {fake->now_ns()}; }
};

// The properties that are fixed for a job. They are the one parameter of its loop.
template <class E, class C, Stamping kS, bool kP, bool kD = false>
struct LoopTraits {
  using Engine = E;
  using Clock = C;
  static constexpr Stamping kStamps = kS;
  static constexpr bool kInstrumented = kP;  // rates, think time, verification, single stamps
  static constexpr bool kDivided = kD;       // --breakdown: I/Os are published to the BPF programs
};

// An engine that never refuses, fails or cuts short an I/O. The code for these cases is not compiled.
template <class Engine>
concept NeverFails = requires {
  requires Engine::kNeverFails;
};

// Derived has phase(), which runs turns until its time or work is over, and drain(). Its measuring_begins() and ended()
// handle the engine's counters. kTakesSlat states whether its I/Os have a separate slat.
template <class Derived, class T>
class alignas(64) LoopCore {
  using Clock = typename T::Clock;
  static constexpr Stamping kStamps = T::kStamps;
  static constexpr bool kInstrumented = T::kInstrumented;
  static constexpr bool kDivided = T::kDivided;

 public:
  LoopCore(Clock clock, LoopContext& context)
      : clock_(clock),
        conversion_(context.calibration.conversion),
        measured_(context.record.measured),
        stop_(context.stop),
        context_(context),
        think_(context.job.of<job::fields::Think>()),
        ramp_left_bytes_(context.job.of<job::fields::Start>().ramp_bytes),
        stamps_(kStamps == Stamping::chosen ? stamping_of(context.job) : kStamps),
        reads_(stamps_ != Stamping::none || (kStamps == Stamping::chosen ? is_instrumented(context) : kInstrumented)) {
    const auto& job = context.job;
    thinks_ = job.thinktime_ns != 0;
    counts_blocks_ = thinks_ && (think_.iotime_ns == 0 || think_.blocks_given);
    blocks_left_ = job.thinktime_blocks;
    if (counts_blocks_ && think_.by_issue) pause_every_ = job.thinktime_blocks;
    serializes_ = job.of<job::fields::Submit>().serialize;
    const bool before_each = context.flow != nullptr || context.gate != nullptr || serializes_;
    if (before_each) pause_every_ = 1;
    until_pause_ = before_each ? 0 : pause_every_;
  }

  // Ramp, measured phase, drain.
  void run() {
    auto& loop = static_cast<Derived&>(*this);
    const auto& job = context_.job;
    begin();
    let_others_start();
    if (context_.watches != nullptr) loop.limit_depth(context_.watches->depth());
    if (ramps() && !writes_nothing()) {
      context_.record.set_phase(records::Phase::ramp);
      set_deadline(job.ramp_ns);
      run_phase();
    }
    begin_measuring();
    set_deadline(job.runtime_ns);
    if (!loop.all_exhausted() && !failed_ && !stopped_ && !writes_nothing()) run_phase();
    loop.drain();
    settle_verification();
    loop.ended();
    context_.record.work_done = loop.all_exhausted() && !failed_ && !stopped_;
    if (context_.sizes != nullptr) context_.sizes->take_back(next_, block_end_);
    context_.record.flying_ns.store(lasted_ns(phase_start_, phase_began_), std::memory_order_relaxed);
    context_.at_end();
    context_.record.elapsed_ns = lasted_ns(phase_start_, phase_began_);
    if constexpr (kInstrumented) read_back();
    context_.record.job_ns = lasted_ns(job_start_, job_began_);
    context_.record.interrupted = stopped_;
  }

 protected:
  static constexpr std::size_t kBlock = workload::Source::kBlock;
  static constexpr bool kFakeTime = std::is_same_v<Clock, FakeClockView>;

  // Known at compile time, except in the generic instance.
  [[gnu::always_inline]] bool stamps(Stamping as) const {
    return kStamps == Stamping::chosen ? stamps_ == as : kStamps == as;
  }
  // Whether the loop reads the clock at every completion.
  [[gnu::always_inline]] bool reads() const {
    return kStamps == Stamping::chosen ? reads_ : kStamps != Stamping::none || kInstrumented;
  }

  [[gnu::always_inline]] std::uint64_t read() { return last_ = clock_.now().v; }
  [[gnu::always_inline]] std::uint64_t ns(std::uint64_t ticks) const {
    if constexpr (Clock::kCountsNanoseconds)
      return ticks;
    else
      return conversion_.to_ns({ticks}).v;
  }
  // The time between two clock reads; 0 if the clock stepped back between them.
  [[gnu::always_inline]] std::uint64_t forward_ns(std::uint64_t from, std::uint64_t to) const {
    return static_cast<std::int64_t>(to - from) < 0 ? 0 : ns(to - from);
  }
  [[gnu::always_inline]] std::uint64_t since_start_ns() const { return forward_ns(due_from_, last_); }
  std::uint64_t until_deadline_ns() const { return last_ < deadline_ ? ns(deadline_ - last_) : 0; }
  // verify_only.
  bool writes_nothing() const {
    return kInstrumented && context_.verification != nullptr && context_.verification->writes_nothing();
  }
  // The work is done (of all loops, if Derived drives several).
  bool all_exhausted() const { return exhausted_; }
  bool stop_asked() const { return stop_.load(std::memory_order_relaxed) != 0; }

  // An I/O failed. A deadline in the past ends the phase, so that turns need no further test.
  void give_up() {
    failed_ = true;
    deadline_ = 0;
  }
  // The engine has no more work. The phase ends without an error. The last request does not count as an I/O.
  void work_is_done() {
    exhausted_ = true;
    --next_;
    --measured_.alone;
    deadline_ = 0;
  }
  // Counts a failed I/O. Ends the phase unless the job continues after such errors. Returns the error's record; null:
  // no room for more.
  [[gnu::noinline, gnu::cold]] records::ErrorRecord* io_failed(const io::Request& request, int err);
  // fill_device: a full device is the goal of the job. True: this was the case, and the phase ends without an error.
  [[gnu::noinline, gnu::cold]] bool ends_when_full(const io::Request& request, int err);
  // Whether the phase is over: its time has passed, a stop was requested, or an I/O failed.
  [[gnu::always_inline]] bool over() {
    if (!reads()) read_now_and_then();
    if (stop_asked()) [[unlikely]] {
      stopped_ = true;
      return true;
    }
    return last_ >= deadline_;
  }

  // The next request of the block; null: the work is done.
  [[gnu::always_inline]] const io::Request* next() {
    if (next_ == block_end_ && !refill()) [[unlikely]]
      return nullptr;
    return next_;
  }
  [[gnu::always_inline]] void take(unsigned n = 1) { next_ += n; }
  [[gnu::always_inline]] unsigned left_in_block() const { return static_cast<unsigned>(block_end_ - next_); }

  void begin();
  std::uint64_t lasted_ns(std::uint64_t start, const Moment& began);
  // Runs until the time is over by the reference as well.
  [[gnu::always_inline]] void run_phase() {
    do {
      static_cast<Derived&>(*this).phase();
    } while (!kFakeTime && clock_ran_ahead());
  }
  [[gnu::noinline]] bool clock_ran_ahead();
  std::uint64_t reference_ns() const;
  [[gnu::noinline]] bool refill();
  [[gnu::always_inline]] inline void read_now_and_then();
  void set_deadline(std::uint64_t length_ns);
  bool ramps() const {
    return context_.job.ramp_ns > 0 || (kInstrumented && context_.job.template of<job::fields::Start>().ramp_bytes > 0);
  }
  void begin_measuring();
  void clear_measured();
  void let_others_start();
  // Called before an I/O that is postponed (until_pause_ is 0). Drains first if drains_first(), then does what had to
  // wait. False: check everything again.
  [[gnu::noinline]] bool pause();
  bool drains_first() const { return think_due_ || drain_first_ || anew_; }
  void pause_soon();
  void count_issued();
  void pause_to_think();
  void thought(std::uint64_t began);
  bool wait_for_flow(), pass_gate();
  void refused_by_gate(bool failed);
  void obey(watch::Watches::Next next);
  void after_each(const io::Request& request, std::uint64_t now);
  [[gnu::noinline]] void read_back();
  void begin_reading_back();
  void settle_verification();
  // Fills the buffer of a write. last: the latest clock read.
  [[gnu::always_inline]] inline void give_content(const io::Request& request, std::byte* buffer, std::uint64_t last);
  [[gnu::noinline]] void write_anew(const io::Request& request, std::byte* buffer);
  // verify=: called after a request ended without an error. False: it read wrong data, and counts as failed.
  bool verified(const io::Request& request, std::byte* buffer);

  // The record of a direction. Its address is computed once: the compiler would multiply again for every array in it.
  [[gnu::always_inline]] records::DirectionRecord& direction(io::Dir dir) {
    records::DirectionRecord* d = &measured_.dirs[io::index(dir)];
    asm("" : "+r"(d));
    return *d;
  }
  // The latency in ns; -1: unknown, because the clock stepped back.
  [[gnu::always_inline]] inline std::int64_t record_latency(records::DirectionRecord& d, std::uint64_t start,
                                                            std::uint64_t issue, std::uint64_t now);
  // The same for several I/Os that one call submitted and one call reaped: they share all stamps.
  [[gnu::always_inline]] inline std::int64_t record_latencies(records::DirectionRecord& d, std::uint64_t start,
                                                              std::uint64_t issue, std::uint64_t now,
                                                              std::uint64_t times);
  [[gnu::always_inline]] inline void record_slat(records::DirectionRecord& d, std::uint64_t start, std::uint64_t issue,
                                                 std::uint64_t times);
  [[gnu::always_inline]] inline void record_sync(std::uint64_t issue, std::uint64_t now);
  [[gnu::always_inline]] inline void record_lateness(const io::Request& request, std::uint64_t now);
  [[gnu::always_inline]] inline void record_start(const io::Request& request);
  // Reports a single I/O, if the job needs that: --debug=io (without I/Os that began before the measured phase), logs,
  // limits.
  [[gnu::always_inline]] void tell(const io::Request& request, std::uint32_t done_bytes, std::uint64_t start,
                                   std::uint64_t issue, std::uint64_t now) {
    if (tells_) tell_each(request, done_bytes, start, issue, now);
  }
  [[gnu::noinline]] void tell_each(const io::Request& request, std::uint32_t done_bytes, std::uint64_t start,
                                   std::uint64_t issue, std::uint64_t now);
  [[gnu::noinline]] void tell_sync(const io::Request& request, std::uint64_t issue, std::uint64_t now);
  // --breakdown: publish() before the engine gets this I/O, take_split() after its completion. slot: the loop's number
  // of the I/O. rung: time of the submitting call, if the loop prepares I/Os before that call; 0: not stamped.
  [[gnu::always_inline]] void publish(std::uint32_t slot, const io::Request& request) {
    if constexpr (kDivided) split_->publish(slot, request);
  }
  [[gnu::always_inline]] void take_split(std::uint32_t slot, const io::Request& request, std::uint64_t start,
                                         std::uint64_t now, std::uint64_t rung = 0) {
    if constexpr (kDivided) split_->take(slot, request.dir, start, now, counts_for_split(start), rung);
  }
  bool counts_for_split(std::uint64_t start) const {
    return context_.record.get_phase() != records::Phase::ramp && start >= phase_start_ && !stamps(Stamping::none);
  }

  // Accessed in every turn: one cache line (and the clock, which has state only in tests).
  [[no_unique_address]] Clock clock_;
  const clock::sources::Conversion conversion_;
  records::Measured& measured_;
  const std::atomic<std::uint32_t>& stop_;
  const io::Request *next_ = nullptr, *block_end_ = nullptr;
  std::uint64_t last_ = 0, deadline_ = ~0ull;
  // Accessed by a phase, a block, a pause or gtod_reduce.
  LoopContext& context_;
  std::uint64_t phase_start_ = 0, job_start_ = 0, due_from_ = 0;  // due_from_: start of the rate schedule
  Moment phase_began_, job_began_;                                // the same by the reference
  std::uint32_t turns_ = 0, turns_a_reading_ = 1, until_pause_ = 0;
  bool exhausted_ = false, failed_ = false, stopped_ = false, thinks_ = false;
  // For work between two I/Os, which few jobs have.
  const job::fields::Think& think_;
  std::uint32_t pause_every_ = ~0u, put_off_left_ = 0;  // I/Os issued between two pauses; I/Os left when one came early
  std::int64_t blocks_left_ = 0;  // until a pause; below 0: blocks that completed during its drain
  std::uint64_t think_end_ = 0, ramp_left_bytes_;
  bool serializes_ = false, counts_blocks_ = false, think_due_ = false, drain_first_ = false, anew_ = false;

 private:
  const Stamping stamps_;
  const bool reads_, tells_ = (context_.acts = acts_after_each(context_.job)) || context_.tells();
  split::Recorder* const split_ = context_.split;
  alignas(64) io::Request block_[kBlock];
};

template <class D, class T>
std::uint64_t LoopCore<D, T>::reference_ns() const {
  if (context_.reference_ns != nullptr) return context_.reference_ns();
  const bool counter = context_.calibration.source == clock::sources::Source::cpu;
  return clock::sources::read_reference_ns(counter ? clock::sources::HeldAgainst::monotonic_raw
                                                   : clock::sources::HeldAgainst::monotonic);
}

// By the job's clock, unless it jumped during that time.
template <class D, class T>
std::uint64_t LoopCore<D, T>::lasted_ns(std::uint64_t start, const Moment& began) {
  if constexpr (kFakeTime) return forward_ns(start, read());
  const std::uint64_t before_ns = reference_ns(), by_clock_ns = forward_ns(start, read());
  return lasted(by_clock_ns, began, {before_ns, reference_ns()});
}

// The phase reached its deadline although its time is not over, because the clock ran ahead. Moves the phase, its end
// and the rate schedule forward with the clock.
template <class D, class T>
bool LoopCore<D, T>::clock_ran_ahead() {
  const bool by_time = deadline_ != 0 && deadline_ != ~0ull && last_ >= deadline_;
  if (!by_time || stopped_ || failed_ || static_cast<D&>(*this).all_exhausted()) return false;
  const std::uint64_t by_clock_ns = forward_ns(phase_start_, last_);
  const std::uint64_t most_ns = lasted(by_clock_ns, phase_began_, {phase_began_.after_ns, reference_ns()});
  if (most_ns >= by_clock_ns) return false;
  const std::uint64_t ahead_ns = by_clock_ns - most_ns;
  const std::uint64_t ahead = Clock::kCountsNanoseconds ? ahead_ns : conversion_.to_ticks({ahead_ns}).v;
  for (auto* moment : {&phase_start_, &job_start_, &due_from_, &think_end_, &deadline_}) *moment += ahead;
  return last_ < deadline_;
}

template <class D, class T>
void LoopCore<D, T>::set_deadline(std::uint64_t length_ns) {
  const std::uint64_t ticks = Clock::kCountsNanoseconds ? length_ns : conversion_.to_ticks({length_ns}).v;
  deadline_ = length_ns == 0 ? ~0ull : phase_start_ + ticks;
}

template <class D, class T>
void LoopCore<D, T>::begin_measuring() {
  const bool ramped = ramps();
  // A job that is done or fails before its ramp is over keeps the ramp's measurements: better than none, and reported.
  context_.record.ended_in_ramp = ramped && (static_cast<D&>(*this).all_exhausted() || failed_);
  if (ramped && !context_.record.ended_in_ramp) clear_measured();
  static_cast<D&>(*this).measuring_begins();
  if (context_.watches != nullptr) context_.watches->measuring_begins(phase_start_);
  if (kFakeTime || ramped) context_.record.start_ns.store(monotonic_ns(), std::memory_order_relaxed);
  context_.record.set_phase(records::Phase::running);
}

template <class D, class T>
void LoopCore<D, T>::clear_measured() {
  context_.record.keep_ramp();
  std::memset(static_cast<void*>(&measured_), 0, sizeof measured_);
  if (context_.sizes != nullptr) context_.sizes->add(next_, block_end_);
  phase_began_.before_ns = reference_ns();
  phase_start_ = read();
  phase_began_.after_ns = reference_ns();
}

// With more workers than CPUs, the first workers would use up their time slices before the last ones begin. Each yields
// once between the start stamp and the first I/O.
template <class D, class T>
void LoopCore<D, T>::let_others_start() {
  if constexpr (!kFakeTime) {
    context_.record.start_ns.store(monotonic_ns(), std::memory_order_relaxed);
    ::sched_yield();
    read();
  }
}

template <class D, class T>
void LoopCore<D, T>::read_now_and_then() {
  if (++turns_ < turns_a_reading_) [[likely]]
    return;
  const std::uint64_t before = last_;
  turns_ = 0;
  const bool slow = ns(read() - before) > 1'000'000;
  turns_a_reading_ = slow ? std::max(1u, turns_a_reading_ / 2) : std::min(64u, turns_a_reading_ * 2);
}

template <class D, class T>
bool LoopCore<D, T>::refill() {
  if (exhausted_) return false;
  std::size_t made = context_.source->next({block_, kBlock});
  if (made == 0 && context_.source->begin_pass()) {
    context_.new_pass();
    read();
    made = context_.source->next({block_, kBlock});
  }
  exhausted_ = made == 0;
  if (exhausted_) return false;
  next_ = block_;
  block_end_ = block_ + made;
  if (context_.sizes != nullptr) context_.sizes->add(next_, block_end_);
  return true;
}

// verify=: reads and checks the written data at full speed. Neither runtime nor thinktime applies.
template <class D, class T>
void LoopCore<D, T>::read_back() {
  if (context_.verification == nullptr || !context_.verification->reads_back() || failed_ || stopped_) return;
  if (const int err = context_.before_read_back(); err != 0) {
    if (auto* e = context_.record.add_error(err)) std::strncpy(e->what, "syncing to read back", sizeof e->what - 1);
    return;
  }
  auto& loop = static_cast<D&>(*this);
  loop.begin_reading_back();
  const std::uint64_t idle_ns = measured_.idle_ns, begin = read();
  loop.phase();
  loop.drain();
  settle_verification();
  context_.record.read_back_ns = forward_ns(begin, read());
  measured_.idle_ns = idle_ns;
}

// A buffer is written again only after its completion, which includes a clock read. Without clock reads fio has no time
// to stamp either. Then the stamp uses the first line and a time rounded down to 2^20 ticks, so that stamps of
// neighbors differ no more than fio's.
template <class D, class T>
void LoopCore<D, T>::give_content(const io::Request& request, std::byte* buffer, std::uint64_t last) {
  const bool timed = !stamps(Stamping::none);
  if constexpr (kInstrumented)
    if (context_.refill != nullptr) return write_anew(request, buffer);
  const std::uint64_t line = timed ? last & 0x1c0 : 0;
  workload::bytes::scramble(buffer, request.length, request.offset, line,
                            timed ? last : last & ~std::uint64_t{0xfffff});
}

// Fills the buffer with new bytes, or keeps them. Adds a header if the job verifies.
template <class D, class T>
void LoopCore<D, T>::write_anew(const io::Request& request, std::byte* buffer) {
  checks::Verification* const v = context_.verification;
  if (v == nullptr || !v->makes_contents()) (*context_.refill)({buffer, request.length});
  if (v != nullptr) v->stamp(request, buffer, forward_ns(job_start_, last_));
}

// The clock read after the check keeps its time out of the next I/O's latency.
template <class D, class T>
bool LoopCore<D, T>::verified(const io::Request& request, std::byte* buffer) {
  if constexpr (kInstrumented) {
    if (context_.verification == nullptr) return true;
    if (request.dir != io::Dir::read) return context_.verification->ended(request, true);
    const bool well = context_.verification->check(request, buffer, context_.record, context_.first_target);
    if (!well) {
      measured_.error_ios[io::index(request.dir)].add(1);
      context_.record.wrong_bytes += request.length;
    }
    if (context_.verification->ends_job()) give_up();
    read();
    return well;
  }
  return true;
}

template <class D, class T>
std::int64_t LoopCore<D, T>::record_latency(records::DirectionRecord& d, std::uint64_t start, std::uint64_t issue,
                                            std::uint64_t now) {
  if (stamps(Stamping::none)) return 0;
  // An I/O that finished inside its own submitting call can, under fio's placement, be stamped complete before issue.
  if (stamps(Stamping::fio) && issue > now) issue = now;
  const std::uint64_t clat = now - issue, lat = now - start;
  if (static_cast<std::int64_t>(clat | lat) < 0) [[unlikely]] {
    ++measured_.clock_steps_back;
    return -1;
  }
  const std::uint64_t clat_ns = ns(clat), lat_ns = ns(lat);
  d.clat.add(d.clat_counts, clat_ns);
  d.lat.add(d.lat_counts, lat_ns);
  return static_cast<std::int64_t>(lat_ns);
}

template <class D, class T>
std::int64_t LoopCore<D, T>::record_latencies(records::DirectionRecord& d, std::uint64_t start, std::uint64_t issue,
                                              std::uint64_t now, std::uint64_t times) {
  if (stamps(Stamping::none)) return 0;
  if (stamps(Stamping::fio) && issue > now) issue = now;
  const std::uint64_t clat = now - issue, lat = now - start;
  if (static_cast<std::int64_t>(clat | lat) < 0) [[unlikely]] {
    measured_.clock_steps_back += times;
    return -1;
  }
  const std::uint64_t clat_ns = ns(clat), lat_ns = ns(lat);
  d.clat.add_many(d.clat_counts, clat_ns, times);
  d.lat.add_many(d.lat_counts, lat_ns, times);
  return static_cast<std::int64_t>(lat_ns);
}

// Submission is complete when the batch is stamped. It is recorded then, so that completion need not handle it.
template <class D, class T>
void LoopCore<D, T>::record_slat(records::DirectionRecord& d, std::uint64_t start, std::uint64_t issue,
                                 std::uint64_t times) {
  if (stamps(Stamping::none)) return;
  const std::uint64_t slat = issue - start;
  if (static_cast<std::int64_t>(slat) >= 0) [[likely]]
    d.slat.add_many(d.slat_counts, ns(slat), times);
}

template <class D, class T>
void LoopCore<D, T>::record_sync(std::uint64_t issue, std::uint64_t now) {
  if (stamps(Stamping::none)) return;
  if (static_cast<std::int64_t>(now - issue) < 0)
    ++measured_.clock_steps_back;
  else
    measured_.sync_lat.add(measured_.sync_counts, ns(now - issue));
}

// Records how late a paced request is issued.
template <class D, class T>
void LoopCore<D, T>::record_start(const io::Request& request) {
  if constexpr (kInstrumented) {
    if (until_pause_ > 0) --until_pause_;
    if (!io::is_paced(request)) return;
    const std::uint64_t since_ns = since_start_ns();  // less than due_ns only if the clock stepped back
    const std::uint64_t late_ns = since_ns < request.due_ns ? 0 : since_ns - request.due_ns;
    if (late_ns > 1'000'000) ++measured_.late_ios;
    if (request.dir == io::Dir::sync) return;
    auto& d = measured_.dirs[io::index(request.dir)];
    d.start_delay.add(d.start_delay_counts, late_ns);
  }
}

// done_bytes: bytes moved earlier, if the request is the rest of a short I/O.
template <class D, class T>
void LoopCore<D, T>::tell_each(const io::Request& request, std::uint32_t done_bytes, std::uint64_t start,
                               std::uint64_t issue, std::uint64_t now) {
  if constexpr (kInstrumented) {
    if (context_.acts) after_each(request, now);
    if (!context_.tells() || context_.record.get_phase() == records::Phase::ramp) return;
    io::Request whole = request;
    whole.offset -= done_bytes;
    whole.length += done_bytes;
    whole.target = static_cast<std::uint16_t>(request.target + context_.first_target);
    const bool timed = !stamps(Stamping::none);
    if (timed && start >= phase_start_ && context_.stamps != nullptr)
      context_.stamps->push({start, now, whole.offset, whole.length, whole.target, static_cast<std::uint8_t>(whole.dir),
                             static_cast<std::uint8_t>(context_.job_index)});
    if (context_.watches == nullptr) return;
    watch::DoneIo io{whole, 0, 0, 0, 0};
    if (timed)
      io = {whole, forward_ns(phase_start_, now), D::kTakesSlat ? forward_ns(start, issue) : logs::kNoLatency,
            forward_ns(issue, now), forward_ns(start, now)};
    if (const auto next = context_.watches->done(io);
        next != watch::Watches::Next::go_on || context_.watches->depth() != 0)
      obey(next);
    if (context_.watches->waited()) read();
  }
}

// write_iolog= has syncs; no other consumer of single I/Os does.
template <class D, class T>
void LoopCore<D, T>::tell_sync(const io::Request& request, std::uint64_t issue, std::uint64_t now) {
  auto* const watches = context_.watches;
  if (watches == nullptr || !watches->wants_syncs() || context_.record.get_phase() == records::Phase::ramp) return;
  io::Request whole = request;
  whole.target = static_cast<std::uint16_t>(request.target + context_.first_target);
  const std::uint64_t lat_ns = forward_ns(issue, now);
  watches->synced({whole, forward_ns(phase_start_, now), 0, lat_ns, lat_ns});
  if (watches->waited()) read();
}

// Records the time from the intended start to completion.
template <class D, class T>
void LoopCore<D, T>::record_lateness(const io::Request& request, std::uint64_t now) {
  if constexpr (kInstrumented && kStamps != Stamping::none) {
    if (stamps(Stamping::none) || !io::is_paced(request)) return;
    auto& d = measured_.dirs[io::index(request.dir)];
    const std::uint64_t since_ns = forward_ns(due_from_, now);
    if (since_ns >= request.due_ns) d.intended.add(d.intended_counts, since_ns - request.due_ns);
  }
}

}  // namespace fathom::run::loop
