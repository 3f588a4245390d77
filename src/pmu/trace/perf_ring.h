// The ring that perf_event_open(2) shares with its reader: records one after another in a power of two of bytes,
// wrapped at its end. Pure over the given bytes, which are not trusted. Thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace fathom::pmu::trace {

struct RingBytes {
  std::span<const std::byte> data;   // a power of two
  std::uint64_t tail = 0, head = 0;  // bytes taken and bytes written since the start
};

struct PerfRecord {
  std::uint32_t type = 0;              // PERF_RECORD_*
  std::span<const std::byte> payload;  // without the header; valid during the call
};

// Calls `take` for every whole record. false: an impossible size; discard the rest up to head.
bool read_records(const RingBytes& ring, std::vector<std::byte>& scratch,
                  const std::function<void(const PerfRecord&)>& take);

// PERF_RECORD_SAMPLE with PERF_SAMPLE_TID | TIME | RAW.
struct TraceSample {
  std::int32_t process = 0, thread = 0;
  std::uint64_t time_ns = 0;
  std::span<const std::byte> raw;
};
std::optional<TraceSample> parse_sample(std::span<const std::byte> payload);

// PERF_RECORD_LOST: number of records that did not fit.
std::uint64_t parse_lost(std::span<const std::byte> payload);

}  // namespace fathom::pmu::trace
