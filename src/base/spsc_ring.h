// A ring from one writer to one reader in memory that both processes see. The writer never waits: what does not fit is
// counted as lost. Two stores and one load of its own line a push; the reader's line is looked at only when the ring
// seems full. Thread rule: one RingWriter, one RingReader.
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
    const std::uint64_t head = ends_->head.load(std::memory_order_relaxed);
    if (head - ends_->seen_tail >= slots_.size()) [[unlikely]] {
      ends_->seen_tail = ends_->tail.load(std::memory_order_acquire);
      if (head - ends_->seen_tail >= slots_.size()) {
        ends_->lost.store(ends_->lost.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return;
      }
    }
    slots_[head & (slots_.size() - 1)] = value;
    ends_->head.store(head + 1, std::memory_order_release);
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
  // As many as are there and fit; they are free for the writer afterwards.
  std::size_t take(std::span<T> out) {
    const std::uint64_t tail = ends_->tail.load(std::memory_order_relaxed);
    const std::uint64_t there = ends_->head.load(std::memory_order_acquire) - tail;
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(there, out.size()));
    for (std::size_t i = 0; i < n; ++i) out[i] = slots_[(tail + i) & (slots_.size() - 1)];
    ends_->tail.store(tail + n, std::memory_order_release);
    return n;
  }
  std::uint64_t lost() const { return ends_->lost.load(std::memory_order_relaxed); }
  std::int32_t pid() const { return ends_->pid.load(std::memory_order_relaxed); }

 private:
  RingEnds* ends_;
  std::span<const T> slots_;
};

}  // namespace fathom::base
