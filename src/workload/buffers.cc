// The memory of a worker's I/Os: one anonymous mapping, private to the worker that fills it.
#include "workload/buffers.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/prng.h"

namespace fathom::workload {

base::Expected<BufferPool> BufferPool::make(std::uint32_t count, std::size_t size, std::uint64_t seed) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  BufferPool pool;
  pool.stride_ = (std::max<std::size_t>(size, 1) + page - 1) / page * page;
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(pool.stride_, std::max<std::size_t>(count, 1), &bytes))
    return base::system_error("map the I/O buffers", ENOMEM);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return base::system_error("map the I/O buffers", errno);
  pool.base_ = static_cast<std::byte*>(memory);
  pool.bytes_ = bytes;
  base::Prng prng(seed);
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = prng.next();
    std::memcpy(pool.base_ + at, &word, sizeof word);
  }
  return pool;
}

BufferPool::BufferPool(BufferPool&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), stride_(other.stride_), bytes_(std::exchange(other.bytes_, 0)) {}

BufferPool& BufferPool::operator=(BufferPool&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(stride_, other.stride_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

BufferPool::~BufferPool() {
  if (base_ != nullptr) ::munmap(base_, bytes_);
}

}  // namespace fathom::workload
