// fathom's own data about the run that saved a state, behind the payload that fio reads. fio ignores bytes behind its
// own, so one file serves both. The number of the run (generation) lets the reader require the exact writes, not only
// whole blocks. The numbers of the writes of unknown order prevent false reports about these. The hashes of the first
// requests show whether the reading job would make the same writes at all.
// The block contains the checksum of its payload, and its own checksum. It is untrusted, like the rest of the file:
// counts are valid only if they fit the available bytes. Pure; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"

namespace fathom::verify::state {

struct OwnRun {
  enum Flag : std::uint64_t {
    kOnce = 1,  // the job wrote no place twice
    // The list had no space for all overlapping or failed writes: readers require no write by number.
    kOrderUnknown = 2,
  };
  static constexpr int kOrderShift = 32;  // the upper bits of the flags: a hash of what determines the job's order
  std::uint64_t generation = 0;
  std::uint64_t flags = 0;
  std::uint64_t depth = 1;                // of the job; State::depth may be more
  std::vector<std::uint64_t> in_flight;   // numbers of writes
  std::vector<std::uint64_t> failed;      // likewise
  std::vector<std::uint64_t> disordered;  // issued while another one to the same place was in flight
  std::vector<std::uint64_t> first;       // a hash of each of the first requests

  bool is(Flag flag) const { return (flags & flag) != 0; }
  // 0: the state was saved by a fathom without this hash.
  std::uint32_t order() const { return static_cast<std::uint32_t>(flags >> kOrderShift); }
  bool operator==(const OwnRun&) const = default;
};

inline constexpr std::size_t kFirstRequests = 32;  // number of requests with a hash

// Hash of a write's place; never 0.
std::uint64_t request_hash(std::uint64_t target, std::uint64_t offset, std::uint64_t length);

std::vector<std::byte> format_own(const OwnRun& own, std::uint32_t payload_checksum);

// Parses the bytes behind a payload. nullopt: not fathom's. Error (io): begins like fathom's, but is incomplete.
base::Expected<std::optional<OwnRun>> parse_own(std::span<const std::byte> behind, std::uint32_t payload_checksum);

}  // namespace fathom::verify::state
