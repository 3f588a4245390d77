// Diagnosis of a wrong block from its contents. A checksum tells only that a block is wrong. To repair the storage, one
// must know whether a bit flipped, or a write was lost, torn or misplaced. The contents of a write follow from its
// header, or from its job's knowledge of it. The expected bytes can thus be regenerated and compared with those found:
//
//   zeroes       only zero bytes, at a place that was written
//   misdirected  a whole block, with a header that names another offset
//   lost         a whole block of this place, but of another write: this one never arrived (or a cache has an old one)
//   shifted      the expected bytes, displaced by some number of bytes
//   torn         correct up to a sector boundary and wrong after it, or the reverse
//   flipped      correct except for a few bits
//
// If two kinds match, both are reported. If no kind matches, none is reported: unknown bytes prove nothing.
// Pure; any thread. Allocates: it is called only for wrong blocks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "verify/block.h"

namespace fathom::verify {

enum class Damage : std::uint8_t { zeroes, misdirected, lost, shifted, torn, flipped };
const char* name(Damage damage);

struct Finding {
  Damage damage = Damage::zeroes;
  std::string text;  // "torn at byte 1024: the bytes from there on are not from this write"
};

inline constexpr std::size_t kTearingUnit = 512;  // bytes: the minimum that devices write

// found: one interval, its header at the start. wanted: the expected bytes; empty: unknown. verdict: the one for
// `found`. Its header is unreliable if of_header() is true because of its bytes (magic, version, crc). comparable: the
// first comparable byte; the expected timestamps in a header are unknown.
std::vector<Finding> tell_damage(std::span<const std::byte> found, std::span<const std::byte> wanted,
                                 std::size_t comparable, const Verdict& verdict);

// All findings in one line; empty: no finding.
std::string damage_text(const std::vector<Finding>& findings);

}  // namespace fathom::verify
