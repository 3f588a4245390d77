// The memory that I/Os move, and what is in it: page-aligned, filled before the start with bytes that do not compress,
// and stamped before each write so that no two blocks are alike. Both as fio does it, to the share that a compressor
// takes off, so that a target that compresses or deduplicates gives the numbers that it gives with fio. Jobs that ask
// for other bytes: contents.h.
// Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.h"
#include "workload/bytes/buffer_memory.h"
#include "workload/bytes/contents.h"

namespace fathom::workload::bytes {

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
  // `count` buffers of at least `size` bytes each, each on a page of its own, each filled from `seed`. shared: a
  // mapping of a file in memory, which a device in another process can map too, of huge pages where there are enough.
  // kind: else memory of this kind (mem=), and where in a page a buffer begins (iomem_align=).
  static base::Expected<BufferPool> make(std::uint32_t count, std::size_t size, std::uint64_t seed, bool shared = false,
                                         const job::fields::BufferMemory& kind = {});
  // What the buffers hold where writes are to carry zeroes or a pattern.
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

// What a write carries that the one before it from the same buffer did not (fio's scramble_buffers): each sector of 512
// bytes gets its offset at the start of one of its eight cache lines, and in 16 bytes at 48 the moment. `line`, one of
// them (0, 64, ... 448), is to be another now and then, so that after some writes all eight have been stamped; older
// stamps stay. That, and how many of the stamps' bytes are zero, is how far a compressor shortens a block. moment:
// ticks of the clock, best never the same for two writes from one buffer.
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
