// The submit-stamp-record loop: the one place in fathom where an I/O's time is taken. A template over engine, clock,
// placement of stamps and pacing, so that nothing that is fixed for a run is tested per I/O: no allocation, lock,
// print, division or indirect call in it but the call that refills a block of requests.
//
// Stamps (docs/measurement.md):
//   fathom  start    = the loop's last clock reading before this I/O was prepared (chained: costs nothing)
//           issue    = read once a submitted batch, just before the system call that submits it
//           complete = read once a reaped batch, just after it
//   fio     start    = read when the I/O is prepared; issue = read after the submitting call (before it for synchronous
//   engines) none    gtod_reduce: one reading in up to 64 turns (as many as pass in a millisecond), for the deadline
//   only
#pragma once
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

// fio's buckets of a batch's size: 0, 1-4, 5-8, 9-16, 17-32, 33-64, more; and of the depth at submission: 1, 2, 4, 8,
// 16, 32, 64 and more.
inline std::size_t batch_bucket(unsigned n) {
  return n == 0 ? 0u : static_cast<std::size_t>(std::clamp(static_cast<int>(std::bit_width(n - 1)) - 1, 1, 6));
}
inline std::size_t depth_bucket(unsigned n) {
  return static_cast<std::size_t>(std::min(static_cast<int>(std::bit_width(n)) - 1, 6));
}

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
  Step reap(unsigned min);
  unsigned wanted_completions() const;
  void post(const io::Request& request);
  void record_all(int n, std::uint64_t now);
  void record(std::uint32_t slot, std::int32_t result, std::uint64_t now);
  void record_latency(DirectionRecord& direction, const Slot& slot, std::uint64_t now);
  void finish_oddly(std::uint32_t slot, std::int32_t result);
  void ring_all();
  void refuse_unrung(int err);
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
  std::uint32_t in_flight_ = 0, unrung_ = 0, low_target_ = 0, turns_ = 0, turns_a_reading_ = 1;
  bool exhausted_ = false, failed_ = false, stopped_ = false, ringing_ = false;
  std::uint32_t free_count_ = 0;
  std::size_t block_at_ = 0, block_size_ = 0;
  std::uint32_t thinks_left_ = 0;
  std::uint64_t loops_left_ = 0;
  std::vector<std::uint32_t> free_, posted_;
  std::vector<Slot> slots_;
  std::vector<io::Completion> completions_;
  io::Request block_[kBlock];
};

}  // namespace fathom::run
