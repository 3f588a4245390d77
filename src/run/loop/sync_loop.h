// The loop of engines that complete an I/O before their call returns: sync, psync, pvsync2, mmap, and null at
// iodepth=1. One request at a time, without slots and queue. It reads the clock twice per I/O, and the completion of
// one I/O is the start of the next.
//
// Such an engine E has open(), close() and
//   int32_t do_one(const io::Request&, std::byte* buffer);    bytes moved, -errno, kNothingMoved or kWorkIsDone
#pragma once
#include "run/loop/loop_pause.h"

namespace fathom::run::loop {

template <class T>
class SyncLoop : public LoopCore<SyncLoop<T>, T> {
  using Core = LoopCore<SyncLoop, T>;
  friend Core;
  using Engine = typename T::Engine;
  using Clock = typename T::Clock;
  static constexpr bool kInstrumented = T::kInstrumented;

 public:
  SyncLoop(Engine& engine, Clock clock, LoopContext& context)
      : Core(clock, context), engine_(engine), buffer_(context.buffers.base) {
    if (context.split != nullptr) context.split->follow_this_task(true);
  }

  static constexpr bool kTakesSlat = false;

 private:
  void phase();
  void drain() {}
  bool drain_in_flight() { return true; }
  bool wait_for_overlapping() { return true; }
  void limit_depth(std::uint32_t) {}
  void think() { Core::pause_to_think(); }
  void measuring_begins() {}
  void ended() {}
  bool wait_until_due(std::uint64_t due_ns);
  void account(const io::Request& request, std::uint32_t bytes, std::uint64_t start, std::uint64_t issue,
               std::uint64_t now);
  [[gnu::noinline, gnu::cold]] void finish_short_or_failed(const io::Request& request, std::int32_t result,
                                                           std::uint64_t start, std::uint64_t issue);

  Engine& engine_;
  std::byte* const buffer_;
};

template <class T>
void SyncLoop<T>::phase() {
  do {
    FATHOM_MARK("loop.turn");
    const io::Request* const request = Core::next();
    if (request == nullptr) return;
    if constexpr (kInstrumented) {
      if (io::is_paced(*request) && !wait_until_due(request->due_ns)) continue;
      if (Core::until_pause_ == 0 && !Core::pause()) continue;
      Core::record_start(*request);
    }
    Core::take();
    const std::uint64_t chained = Core::last_;
    if (request->dir == io::Dir::write) Core::give_content(*request, buffer_, chained);
    Core::publish(0, *request);
    const std::uint64_t issue = Core::stamps(Stamping::none) ? 0 : Core::read();
    const std::uint64_t start = Core::stamps(Stamping::fathom) ? chained : issue;
    const std::int32_t result = engine_.do_one(*request, buffer_);
    const std::uint64_t now = Core::reads() ? Core::read() : 0;
    ++Core::measured_.alone;
    if constexpr (!NeverFails<Engine>) {
      if (result != static_cast<std::int32_t>(request->length)) [[unlikely]] {
        finish_short_or_failed(*request, result, start, issue);
        continue;
      }
    }
    if constexpr (kInstrumented)
      if (!Core::verified(*request, buffer_)) continue;
    account(*request, request->length, start, issue, now);
  } while (!Core::over());
}

template <class T>
[[gnu::always_inline]] inline void SyncLoop<T>::account(const io::Request& request, std::uint32_t bytes,
                                                        std::uint64_t start, std::uint64_t issue, std::uint64_t now) {
  records::Measured& m = Core::measured_;
  if (request.dir == io::Dir::sync) [[unlikely]] {
    m.sync_ios.add(1);
    Core::take_split(0, request, issue, now);
    Core::record_sync(issue, now);
    if constexpr (kInstrumented) Core::tell_sync(request, issue, now);
    return;
  }
  m.done.ios[io::index(request.dir)].add(1);
  m.done.bytes[io::index(request.dir)].add(bytes);
  Core::take_split(0, request, start, now);
  if (Core::record_latency(Core::direction(request.dir), start, issue, now) < 0) return;
  Core::record_lateness(request, now);
  if constexpr (kInstrumented) Core::tell(request, 0, start, issue, now);
}

// Sleeps and spins until the request is due. False: the phase ends earlier.
template <class T>
bool SyncLoop<T>::wait_until_due(std::uint64_t due_ns) {
  std::uint64_t now_ns = Core::since_start_ns();
  while (now_ns < due_ns) {
    if (Core::last_ >= Core::deadline_ || Core::stop_asked()) return false;
    const std::uint64_t before = Core::last_;
    pause_near(std::min(due_ns - now_ns, Core::until_deadline_ns()));
    Core::measured_.overslept_ns += overslept_ns(Core::forward_ns(before, Core::read()));
    now_ns = Core::since_start_ns();
  }
  return true;
}

// A short or failed I/O, or one that moves no bytes. The rest of a short transfer is issued, as a program would do. No
// progress is an error.
template <class T>
void SyncLoop<T>::finish_short_or_failed(const io::Request& request, std::int32_t result, std::uint64_t start,
                                         std::uint64_t issue) {
  if (result == engine::kWorkIsDone) return Core::work_is_done();
  if (result == engine::kNothingMoved) return account(request, 0, start, issue, Core::last_);
  io::Request rest = request;
  std::uint32_t done = 0;
  while (result > 0 && static_cast<std::uint32_t>(result) < rest.length) {
    if (done == 0) Core::measured_.short_ios[io::index(request.dir)].add(1);
    const auto moved = static_cast<std::uint32_t>(result);
    done += moved;
    rest.offset += moved;
    rest.length -= moved;
    result = engine_.do_one(rest, buffer_ + done);
    if (Core::reads()) Core::read();
  }
  if (result == engine::kWorkIsDone) {
    Core::measured_.done.bytes[io::index(request.dir)].add(done);
    return Core::work_is_done();
  }
  if (result > 0) {
    const std::uint64_t now = Core::last_;
    if (kInstrumented && !Core::verified(request, buffer_)) return;
    return account(request, request.length, start, issue, now);
  }
  if (request.dir != io::Dir::sync) Core::measured_.done.bytes[io::index(request.dir)].add(done);
  if (const int err = result < 0 ? -result : EIO; !Core::ends_when_full(rest, err)) Core::io_failed(rest, err);
}

}  // namespace fathom::run::loop
