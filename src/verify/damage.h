// What happened to a block that is wrong, told by what is in it. A checksum says that a block is wrong and no more; who
// has to mend the storage wants to know whether a bit was flipped, a write lost, torn or put elsewhere. The contents of
// a write follow from its header, or from what its job knows of it, so what should be there can be made again and laid
// beside what is:
//
//   zeroes       nothing but zero bytes, where something was written
//   misdirected  a whole block, whose header says that it was written to another place
//   lost         a whole block of this place, but of another write: this one never arrived (or a cache shows an old one)
//   shifted      the bytes that should be there, so many bytes from where they should be
//   torn         as it should be up to a sector's boundary, and something else behind it; or the other way round
//   flipped      as it should be but for a few bits
//
// Where two fit both are told. Where none does, none is: bytes of which nothing is known prove nothing.
// Pure; any thread. Allocates: it is for blocks that are wrong only.
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

inline constexpr std::size_t kTearingUnit = 512;  // bytes: no device writes less

// found: one interval, its header at its start. wanted: what should be there, or empty: not known. verdict: of found;
// the header in it tells nothing where of_header() holds for reasons of its bytes (magic, version, crc).
// comparable: from which byte on the two can be compared: what a header says of times is not known.
std::vector<Finding> tell_damage(std::span<const std::byte> found, std::span<const std::byte> wanted,
                                 std::size_t comparable, const Verdict& verdict);

// All of them in one line; empty for none.
std::string damage_text(const std::vector<Finding>& findings);

}  // namespace fathom::verify
