// What the queue's loop writes down: slat and depth when a batch has been stamped, clat and lat when one comes back.
// I/Os that one call submitted and one call reaped share their stamps, so that their latencies are one value, binned
// once.
#pragma once
#include "run/loop/queue_loop.h"

namespace fathom::run::loop {

#define FATHOM_LOOP template <class E, class C, Stamping S, bool P>
#define FATHOM_LOOP_OF QueueLoop<E, C, S, P>
#define FATHOM_HOT FATHOM_LOOP [[gnu::always_inline]] inline

// The issue of a batch of one, and its slat.
FATHOM_HOT void FATHOM_LOOP_OF::stamp_one(Slot& s) {
  if (!Core::stamps(Stamping::none)) s.issue = Core::read();
  if (s.request.dir != io::Dir::sync) Core::record_slat(Core::direction(s.request.dir), s.start, s.issue, 1);
  Core::measured_.submit.issued[io::index(s.request.dir)].add(1);
  dirs_[io::index(s.request.dir)] = 0;
}

// What submission counts of a batch, by direction.
FATHOM_HOT void FATHOM_LOOP_OF::record_batch(std::uint64_t start, std::uint64_t issue) {
  for (std::size_t d = 0; d < std::size(dirs_); ++d) {
    if (dirs_[d] == 0) continue;
    Core::measured_.submit.issued[d].add(dirs_[d]);
    if (d != io::index(io::Dir::sync))
      Core::record_slat(Core::direction(static_cast<io::Dir>(d)), start, issue, dirs_[d]);
    dirs_[d] = 0;
  }
}

// The depth at which each of a batch was submitted: from + 1 to `to`.
FATHOM_HOT void FATHOM_LOOP_OF::count_levels(std::uint32_t from, std::uint32_t to) {
  while (from < to) {
    const std::size_t bucket = depth_bucket(from + 1);
    const std::uint32_t until = bucket == 6 ? to : std::min(to, (2u << bucket) - 1);
    Core::measured_.submit.level[bucket] += until - from;
    from = until;
  }
}

FATHOM_HOT void FATHOM_LOOP_OF::count_reap(int n, std::uint64_t before, std::uint64_t now) {
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

FATHOM_HOT void FATHOM_LOOP_OF::record_all(int n, std::uint64_t now) {
  if (P || n <= 1) {
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

FATHOM_HOT void FATHOM_LOOP_OF::freed_up_to(const std::uint32_t* free) {
  const auto count = static_cast<std::uint32_t>(free - free_.get());
  in_flight_ -= count - free_count_;
  free_count_ = count;
}

FATHOM_HOT void FATHOM_LOOP_OF::record_alike(const Alike& alike, std::uint64_t now) {
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
  if constexpr (Polls<E>)
    if (device_ != nullptr && lat_ns >= 0) device_->add(dir, alike.ios, static_cast<std::uint64_t>(lat_ns));
}

FATHOM_HOT void FATHOM_LOOP_OF::record(io::Completion completion, std::uint64_t now) {
  const Slot& s = slots_[completion.slot];
  if (short_or_failed(completion, s)) [[unlikely]]
    return finish_short_or_failed(completion.slot, completion.result);
  --in_flight_;
  free_[free_count_++] = completion.slot;
  if constexpr (P)
    if (!read_whole_verified(completion.slot)) return;
  record_whole(s, now);
}

FATHOM_HOT void FATHOM_LOOP_OF::record_whole(const Slot& s, std::uint64_t now) {
  records::Measured& m = Core::measured_;
  if (s.request.dir == io::Dir::sync) [[unlikely]] {
    m.sync_ios.add(1);
    Core::record_sync(s.issue, now);
    return;
  }
  m.done.ios[io::index(s.request.dir)].add(1);
  m.done.bytes[io::index(s.request.dir)].add(s.request.length);
  const std::int64_t lat_ns = Core::record_latency(Core::direction(s.request.dir), s.start, s.issue, now);
  if (lat_ns >= 0) Core::record_lateness(s.request, now);
  if constexpr (P)
    if (lat_ns >= 0) Core::tell(s.request, WholeOrNothing<E> ? 0 : s.done_bytes, s.start, s.issue, now);
  if constexpr (Polls<E>)
    if (device_ != nullptr && lat_ns >= 0)
      device_->add(io::index(s.request.dir), 1, static_cast<std::uint64_t>(lat_ns));
}

#undef FATHOM_HOT
#undef FATHOM_LOOP
#undef FATHOM_LOOP_OF

}  // namespace fathom::run::loop
