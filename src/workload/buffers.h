// The memory that I/Os move: page-aligned, filled with incompressible bytes before the start, so that devices that
// compress or deduplicate are not flattered. Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "base/fd.h"

namespace fathom::workload {

// Where a worker's buffers are: slot i has `stride` bytes from base + i * stride.
struct Buffers {
  std::byte* base = nullptr;
  std::size_t stride = 0;
  int fd = -1;  // of the file that they are a mapping of; -1: none
  std::uint64_t fd_offset = 0;
  Buffers from(std::uint32_t slot) const { return {base + slot * stride, stride, fd, fd_offset + slot * stride}; }
};

class BufferPool {
 public:
  // `count` buffers of at least `size` bytes each, each on a page of its own, filled from `seed`. shared: a mapping of
  // a file in memory, which a device in another process can map too, of huge pages where there are enough.
  static base::Expected<BufferPool> make(std::uint32_t count, std::size_t size, std::uint64_t seed,
                                         bool shared = false);
  BufferPool(BufferPool&&) noexcept;
  BufferPool& operator=(BufferPool&&) noexcept;
  ~BufferPool();
  Buffers view() const { return {base_, stride_, fd_.get(), 0}; }
  std::byte* base() const { return base_; }
  std::size_t stride() const { return stride_; }
  std::byte* at(std::uint32_t slot) const { return base_ + slot * stride_; }

 private:
  BufferPool() = default;
  base::Expected<void> map(std::size_t bytes, bool shared);
  bool map_file(std::size_t bytes, unsigned flags);
  std::byte* base_ = nullptr;
  std::size_t stride_ = 0, bytes_ = 0;
  base::UniqueFd fd_;
};

// Makes each 512-byte sector of a write differ (fio's scramble_buffers): two words a sector from offset and a per-job
// seed.
[[gnu::always_inline]] inline void scramble(std::byte* buffer, std::uint32_t length, std::uint64_t offset,
                                            std::uint64_t seed) {
  for (std::uint32_t at = 0; at + 512 <= length; at += 512) {
    auto* words = reinterpret_cast<std::uint64_t*>(buffer + at);
    words[0] = seed ^ (offset + at) * 0x9e3779b97f4a7c15ull;
    words[63] = words[0] + 0xbf58476d1ce4e5b9ull;
  }
}

}  // namespace fathom::workload
