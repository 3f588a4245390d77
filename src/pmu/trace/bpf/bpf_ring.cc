// A record's first word is its length; two of its bits say that it is not ready, or that it was given up.
#include "pmu/trace/bpf/bpf_ring.h"

#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

namespace fathom::pmu::trace::bpf {
namespace {

constexpr unsigned kPause_us = 50;

std::size_t page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

// A position is a word as wide as the kernel's long, alone on its page.
std::atomic_ref<unsigned long> position(std::byte* at) {
  return std::atomic_ref<unsigned long>(*reinterpret_cast<unsigned long*>(at));
}

std::uint32_t first_word(const std::byte* at) {
  return __atomic_load_n(reinterpret_cast<const std::uint32_t*>(at), __ATOMIC_ACQUIRE);
}

}  // namespace

std::uint64_t drain(std::span<const std::byte> twice, std::uint64_t from, std::uint64_t to,
                    const std::function<void(std::span<const std::byte>)>& take) {
  const std::size_t half = twice.size() / 2;
  if (to < from || to - from > half) return to;
  while (from < to) {
    const std::byte* const at = twice.data() + (from & (half - 1));
    const std::uint32_t word = first_word(at);
    if ((word & BPF_RINGBUF_BUSY_BIT) != 0) return from;
    const std::size_t length = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
    const std::size_t whole = (length + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
    if (whole > to - from) return to;
    if ((word & BPF_RINGBUF_DISCARD_BIT) == 0) take({at + BPF_RINGBUF_HDR_SZ, length});
    from += whole;
  }
  return from;
}

base::Expected<BpfRing> BpfRing::map(int ring_fd, std::size_t bytes) {
  void* const reader = ::mmap(nullptr, page(), PROT_READ | PROT_WRITE, MAP_SHARED, ring_fd, 0);
  if (reader == MAP_FAILED) return base::system_error("map the ring of the BPF programs", errno);
  void* const writers = ::mmap(nullptr, page() + 2 * bytes, PROT_READ, MAP_SHARED, ring_fd, static_cast<off_t>(page()));
  if (writers == MAP_FAILED) {
    const int err = errno;
    ::munmap(reader, page());
    return base::system_error("map the ring of the BPF programs", err);
  }
  return BpfRing(static_cast<std::byte*>(reader), static_cast<std::byte*>(writers), bytes);
}

BpfRing::BpfRing(BpfRing&& other) noexcept { *this = std::move(other); }
BpfRing& BpfRing::operator=(BpfRing&& other) noexcept {
  std::swap(reader_, other.reader_);
  std::swap(writers_, other.writers_);
  std::swap(bytes_, other.bytes_);
  return *this;
}
BpfRing::~BpfRing() {
  if (reader_ != nullptr) ::munmap(reader_, page());
  if (writers_ != nullptr) ::munmap(writers_, page() + 2 * bytes_);
}

void BpfRing::read(const std::function<void(std::span<const std::byte>)>& take, unsigned wait_us) {
  const std::uint64_t to = position(writers_).load(std::memory_order_acquire);
  std::uint64_t at = position(reader_).load(std::memory_order_relaxed);
  for (unsigned waited_us = 0;; waited_us += kPause_us) {
    at = drain({writers_ + page(), 2 * bytes_}, at, to, take);
    position(reader_).store(at, std::memory_order_release);
    if (at >= to || waited_us >= wait_us) return;
    ::usleep(kPause_us);
  }
}

}  // namespace fathom::pmu::trace::bpf
