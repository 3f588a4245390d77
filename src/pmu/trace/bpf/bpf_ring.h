// The ring that programs write and one reader empties: a page with how far the reader is, a page with how far the
// writers are, and the data, mapped twice in a row, so that no record is torn at the end. A record that a writer has
// reserved and not yet handed over holds up all behind it.
// Source: Documentation/bpf/ringbuf.rst. Thread rule: one reader.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/error.h"

namespace fathom::pmu::trace::bpf {

// Pure over its memory. twice: the data and the same data again; its first half is a power of two of bytes.
// Calls `take` for each record from `from` to `to` (as the writers' page had it) and returns how far it came: short of
// `to` where a record is still being written. Whatever cannot be is passed over, up to `to`.
std::uint64_t drain(std::span<const std::byte> twice, std::uint64_t from, std::uint64_t to,
                    const std::function<void(std::span<const std::byte>)>& take);

class BpfRing {
 public:
  // bytes: what the map was made with. Errors: no memory, no permission.
  static base::Expected<BpfRing> map(int ring_fd, std::size_t bytes);
  BpfRing(BpfRing&& other) noexcept;
  BpfRing& operator=(BpfRing&& other) noexcept;
  ~BpfRing();
  // All that had been reserved at the call; waits for writers that are at it, wait_us at most.
  void read(const std::function<void(std::span<const std::byte>)>& take, unsigned wait_us = 20'000);
  std::size_t bytes() const { return bytes_; }

 private:
  BpfRing(std::byte* reader, std::byte* writers, std::size_t bytes)
      : reader_(reader), writers_(writers), bytes_(bytes) {}
  std::byte *reader_ = nullptr, *writers_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace fathom::pmu::trace::bpf
