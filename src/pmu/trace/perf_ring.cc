// A record that crosses the end of the ring is assembled in the scratch buffer. All others are read in place.
#include "pmu/trace/perf_ring.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>

namespace fathom::pmu::trace {
namespace {

template <class T>
T load(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Copies n bytes from position `at` of an endless ring.
void copy(std::span<const std::byte> ring, std::uint64_t at, std::byte* out, std::size_t n) {
  const auto begin = static_cast<std::size_t>(at & (ring.size() - 1));
  const std::size_t first = std::min(n, ring.size() - begin);
  std::memcpy(out, ring.data() + begin, first);
  std::memcpy(out + first, ring.data(), n - first);
}

}  // namespace

bool read_records(const RingBytes& ring, std::vector<std::byte>& scratch,
                  const std::function<void(const PerfRecord&)>& take) {
  if (ring.head < ring.tail || ring.head - ring.tail > ring.data.size()) return false;
  for (std::uint64_t at = ring.tail; at < ring.head;) {
    perf_event_header header;
    if (ring.head - at < sizeof header) return false;
    copy(ring.data, at, reinterpret_cast<std::byte*>(&header), sizeof header);
    if (header.size < sizeof header || header.size > ring.head - at) return false;
    const std::size_t size = header.size - sizeof header;
    const auto begin = static_cast<std::size_t>((at + sizeof header) & (ring.data.size() - 1));
    if (begin + size <= ring.data.size()) {
      take({header.type, ring.data.subspan(begin, size)});
    } else {
      scratch.resize(size);
      copy(ring.data, at + sizeof header, scratch.data(), size);
      take({header.type, scratch});
    }
    at += header.size;
  }
  return true;
}

std::optional<TraceSample> parse_sample(std::span<const std::byte> payload) {
  constexpr std::size_t kHead = 4 + 4 + 8 + 4;
  if (payload.size() < kHead) return std::nullopt;
  TraceSample sample;
  sample.process = load<std::int32_t>(payload, 0);
  sample.thread = load<std::int32_t>(payload, 4);
  sample.time_ns = load<std::uint64_t>(payload, 8);
  const auto size = load<std::uint32_t>(payload, 16);
  if (size > payload.size() - kHead) return std::nullopt;
  sample.raw = payload.subspan(kHead, size);
  return sample;
}

std::uint64_t parse_lost(std::span<const std::byte> payload) {
  return payload.size() < 16 ? 0 : load<std::uint64_t>(payload, 8);
}

}  // namespace fathom::pmu::trace
