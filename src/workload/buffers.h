// The memory that I/Os move: page-aligned, filled with incompressible bytes before the start, so that devices that
// compress or deduplicate are not flattered. Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/error.h"

namespace fathom::workload {

class BufferPool {
 public:
  // `count` buffers of at least `size` bytes each, each on a page of its own, filled from `seed`.
  static base::Expected<BufferPool> make(std::uint32_t count, std::size_t size, std::uint64_t seed);
  BufferPool(BufferPool&&) noexcept;
  BufferPool& operator=(BufferPool&&) noexcept;
  ~BufferPool();
  std::byte* base() const { return base_; }
  std::size_t stride() const { return stride_; }
  std::byte* at(std::uint32_t slot) const { return base_ + slot * stride_; }

 private:
  BufferPool() = default;
  std::byte* base_ = nullptr;
  std::size_t stride_ = 0, bytes_ = 0;
};

// Makes each 512-byte sector of a write differ (fio's scramble_buffers): two words a sector from offset and a per-job
// seed.
inline void scramble(std::byte* buffer, std::uint32_t length, std::uint64_t offset, std::uint64_t seed) {
  for (std::uint32_t at = 0; at + 512 <= length; at += 512) {
    auto* words = reinterpret_cast<std::uint64_t*>(buffer + at);
    words[0] = seed ^ (offset + at) * 0x9e3779b97f4a7c15ull;
    words[63] = words[0] + 0xbf58476d1ce4e5b9ull;
  }
}

}  // namespace fathom::workload
