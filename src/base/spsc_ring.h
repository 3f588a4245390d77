// A ring buffer from one writer to one reader, in memory that both processes map. The writer never waits. If a value
// does not fit, push() counts it as lost, and try_push() returns false. A push costs two stores and one load of the
// writer's line. The writer reads the reader's line only when the ring seems full. Thread rule: one RingWriter, one
// RingReader.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fathom::base {

// All-zero bytes are an empty ring.
struct RingEnds {
  alignas(64) std::atomic<std::uint64_t> head;  // writer: pushed so far
  std::uint64_t seen_tail;                      // writer's own
  std::atomic<std::uint64_t> lost;              // writer
  std::atomic<std::int32_t> pid;                // writer: its process
  alignas(64) std::atomic<std::uint64_t> tail;  // reader: taken so far
};

template <class T>
class RingWriter {
 public:
  // `slots`: a power of two.
  RingWriter(RingEnds& ends, std::span<T> slots) : ends_(&ends), slots_(slots) {}
  [[gnu::always_inline]] void push(const T& value) {
    if (!try_push(value)) [[unlikely]]
      ends_->lost.store(ends_->lost.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  // False: the ring is full.
  [[gnu::always_inline]] bool try_push(const T& value) {
    T* const slot = next_slot();
    if (slot == nullptr) [[unlikely]]
      return false;
    *slot = value;
    publish();
    return true;
  }
  // The slot for the next value, for large values; nullptr: the ring is full. publish() passes it to the reader.
  [[gnu::always_inline]] T* next_slot() {
    const std::uint64_t head = ends_->head.load(std::memory_order_relaxed);
    if (head - ends_->seen_tail >= slots_.size()) [[unlikely]] {
      ends_->seen_tail = ends_->tail.load(std::memory_order_acquire);
      if (head - ends_->seen_tail >= slots_.size()) return nullptr;
    }
    return &slots_[head & (slots_.size() - 1)];
  }
  [[gnu::always_inline]] void publish() {
    ends_->head.store(ends_->head.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  void name_process(std::int32_t pid) { ends_->pid.store(pid, std::memory_order_relaxed); }

 private:
  RingEnds* ends_;
  std::span<T> slots_;
};

template <class T>
class RingReader {
 public:
  RingReader(RingEnds& ends, std::span<const T> slots) : ends_(&ends), slots_(slots) {}
  // Takes as many values as are available and fit in `out`. The writer may then reuse their slots.
  std::size_t take(std::span<T> out) {
    const std::uint64_t tail = ends_->tail.load(std::memory_order_relaxed);
    const std::uint64_t there = ends_->head.load(std::memory_order_acquire) - tail;
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(there, out.size()));
    for (std::size_t i = 0; i < n; ++i) out[i] = slots_[(tail + i) & (slots_.size() - 1)];
    ends_->tail.store(tail + n, std::memory_order_release);
    return n;
  }
  // Number of values available to take.
  std::uint64_t waiting() const {
    return ends_->head.load(std::memory_order_acquire) - ends_->tail.load(std::memory_order_relaxed);
  }
  std::uint64_t lost() const { return ends_->lost.load(std::memory_order_relaxed); }
  std::int32_t pid() const { return ends_->pid.load(std::memory_order_relaxed); }

 private:
  RingEnds* ends_;
  std::span<const T> slots_;
};

}  // namespace fathom::base
