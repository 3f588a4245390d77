// What fathom knows of the run that saved a state, behind the payload that fio reads: fio looks no further than its own
// bytes, so one file serves both. With the number of the run (generation) whoever reads back demands the very writes and
// not only whole blocks; with the numbers of the writes whose order is not known he accuses nobody of that; and by the
// first requests he sees whether his job would make the same writes at all.
// The block is bound to its payload by that one's checksum, and has one of its own. It comes from outside like the rest
// of the file: counts are believed when they fit the bytes that are there. Pure; any thread.
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
    kOnce = 1,          // the job wrote no place twice
    kOrderUnknown = 2,  // more writes overlapped, or failed, than there was room for: nothing is demanded by number
  };
  std::uint64_t generation = 0;
  std::uint64_t flags = 0;
  std::uint64_t depth = 1;                // of the job; State::depth may be more
  std::vector<std::uint64_t> in_flight;   // numbers of writes
  std::vector<std::uint64_t> failed;      // likewise
  std::vector<std::uint64_t> disordered;  // that were issued while another one to the same place was in flight
  std::vector<std::uint64_t> first;       // a hash of each of the first requests

  bool is(Flag flag) const { return (flags & flag) != 0; }
  bool operator==(const OwnRun&) const = default;
};

inline constexpr std::size_t kFirstRequests = 32;  // of them there are hashes

// Of a write's place; never 0.
std::uint64_t request_hash(std::uint64_t target, std::uint64_t offset, std::uint64_t length);

std::vector<std::byte> format_own(const OwnRun& own, std::uint32_t payload_checksum);

// Of what stands behind a payload. Nothing: it is not ours. Error (io): it begins as ours does, and is not whole.
base::Expected<std::optional<OwnRun>> parse_own(std::span<const std::byte> behind, std::uint32_t payload_checksum);

}  // namespace fathom::verify::state
