// The memory for I/Os and its content: page-aligned, filled before the start with incompressible bytes, and stamped
// before each write so that no two blocks are equal. Both follow fio, including the share that a compressor saves, so
// that a target that compresses or deduplicates gives the same numbers as with fio. For jobs that request other bytes:
// contents.h. Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.h"
#include "workload/bytes/buffer_memory.h"
#include "workload/bytes/contents.h"

namespace fathom::workload::bytes {

// The location of a worker's buffers: slot i has `stride` bytes from base + i * stride.
struct Buffers {
  std::byte* base = nullptr;
  std::size_t stride = 0;
  int fd = -1;  // of the file that they map; -1: none
  std::uint64_t fd_offset = 0;
  Buffers from(std::uint32_t slot) const { return {base + slot * stride, stride, fd, fd_offset + slot * stride}; }
};

class BufferPool {
 public:
  // `count` buffers of at least `size` bytes, each on separate pages, each filled from `seed`. shared: a mapping of a
  // file in memory, which a device in another process can map too, with huge pages if enough exist. kind: else the kind
  // of memory (mem=), and the offset of a buffer in its page (iomem_align=).
  static base::Expected<BufferPool> make(std::uint32_t count, std::size_t size, std::uint64_t seed, bool shared = false,
                                         const job::fields::BufferMemory& kind = {});
  // Fills the buffers for jobs that write zeroes or a pattern.
  void fill(Refill& refill);
  Buffers view() const { return {base_, stride_, memory_.fd(), static_cast<std::uint64_t>(base_ - memory_.data())}; }
  std::byte* base() const { return base_; }
  std::size_t stride() const { return stride_; }
  std::byte* at(std::uint32_t slot) const { return base_ + slot * stride_; }

 private:
  BufferPool() = default;
  MappedMemory memory_;
  std::byte* base_ = nullptr;
  std::size_t stride_ = 0, bytes_ = 0;
};

// Makes a write differ from the previous one of the same buffer (fio's scramble_buffers): each sector of 512 bytes gets
// its offset at the start of one of its eight cache lines, and `moment` in 16 bytes at 48. The caller must change
// `line` (0, 64, ... 448) from time to time, so that after some writes all eight lines are stamped; older stamps
// remain. This, and the number of zero bytes in the stamps, determine how far a compressor shortens a block. moment:
// ticks of the clock, preferably never equal for two writes of one buffer.
[[gnu::always_inline]] inline void scramble(std::byte* buffer, std::uint64_t length, std::uint64_t offset,
                                            std::uint64_t line, std::uint64_t moment) {
  const std::byte* const end = buffer + length / 512 * 512;
  for (; buffer != end; buffer += 512, offset += 512) {
    *reinterpret_cast<std::uint64_t*>(buffer + line) = offset;
    auto* const stamp = reinterpret_cast<std::uint64_t*>(buffer + 48);
    stamp[0] = moment;
    stamp[1] = 0;
  }
}

}  // namespace fathom::workload::bytes
