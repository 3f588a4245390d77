// Detects kinds of damage, each by its traces.
#include "verify/damage.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace fathom::verify {
namespace {

constexpr std::uint64_t kFewBits = 64;  // more than these do not count as flipped bits
constexpr std::size_t kLongMatch = 64;  // bytes that do not agree by chance
constexpr std::size_t kFurthestShift = 4096;

using Bytes = std::span<const std::byte>;

bool agree(Bytes a, Bytes b) { return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0; }

// Whether a write created the header. False: other bytes were taken for a header.
bool header_is_whole(const Verdict& verdict) {
  return verdict.header && verdict.header->magic == kMagic && verdict.flaw != Flaw::version &&
         verdict.flaw != Flaw::header_crc && verdict.flaw != Flaw::magic;
}

bool crc_is_right(Bytes found, const Verdict& verdict) {
  const auto format = verdict.header->format;
  return found.size() >= header_size(format) && header_crc(found, format) == verdict.header->crc;
}

void look_at_header(Bytes found, const Verdict& v, std::vector<Finding>& out) {
  if (!header_is_whole(v) || !crc_is_right(found, v)) return;
  if (v.flaw == Flaw::offset)
    out.push_back(
        {Damage::misdirected, fmt::format("misdirected: this block was written to offset {}", v.header->offset)});
  if (v.flaw == Flaw::seed || v.flaw == Flaw::numberio)
    out.push_back({Damage::lost, fmt::format("lost: the block contains an older write, number {} of job {}",
                                             v.header->numberio, v.header->thread)});
}

// The number of different bits; kFewBits + 1: more than a few.
std::uint64_t different_bits(Bytes a, Bytes b) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < a.size() && bits <= kFewBits; ++i)
    bits += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(a[i] ^ b[i])));
  return bits;
}

bool all_sectors_differ(Bytes found, Bytes wanted, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; at += kTearingUnit) {
    const std::size_t size = std::min(kTearingUnit, end - at);
    if (agree(found.subspan(at, size), wanted.subspan(at, size))) return false;
  }
  return true;
}

// The sector boundary from which on every sector differs, with equal bytes before it.
std::optional<std::size_t> torn_behind(Bytes found, Bytes wanted, std::size_t from) {
  std::size_t first = from;
  while (first < found.size() && found[first] == wanted[first]) ++first;
  const std::size_t cut = first / kTearingUnit * kTearingUnit;
  if (cut <= from || cut == found.size() || !all_sectors_differ(found, wanted, cut, found.size())) return std::nullopt;
  return cut;
}

// The sector boundary before which every sector differs, with equal bytes after it.
std::optional<std::size_t> torn_before(Bytes found, Bytes wanted, std::size_t from) {
  std::size_t end = found.size();
  while (end > from && found[end - 1] == wanted[end - 1]) --end;
  const std::size_t cut = (end + kTearingUnit - 1) / kTearingUnit * kTearingUnit;
  if (cut >= found.size() || !all_sectors_differ(found, wanted, from, cut)) return std::nullopt;
  return cut;
}

// The distance in bytes by which the expected data come after their place; negative: before it.
std::optional<std::ptrdiff_t> shift_of(Bytes found, Bytes wanted, std::size_t from) {
  const std::size_t size = found.size();
  if (size < from + 4 * kLongMatch) return std::nullopt;
  const std::size_t middle = from + (size - from) / 2;
  const auto key = wanted.subspan(middle, kLongMatch);
  const auto reach = std::min(kFurthestShift, (size - from) / 2 - kLongMatch);
  for (std::size_t s = 1; s <= reach; ++s) {
    if (agree(found.subspan(middle + s, kLongMatch), key)) return static_cast<std::ptrdiff_t>(s);
    if (agree(found.subspan(middle - s, kLongMatch), key)) return -static_cast<std::ptrdiff_t>(s);
  }
  return std::nullopt;
}

bool repeats(Bytes bytes) {  // a pattern also agrees with itself at other places
  for (std::size_t s = 1; s <= bytes.size() / 4; ++s)
    if (agree(bytes.subspan(s, bytes.size() / 2), bytes.first(bytes.size() / 2))) return true;
  return false;
}

void look_beside(Bytes found, Bytes wanted, std::size_t from, std::vector<Finding>& out) {
  const auto bits = different_bits(found.subspan(from), wanted.subspan(from));
  if (bits > 0 && bits <= kFewBits) {
    const auto at = std::mismatch(found.begin() + static_cast<std::ptrdiff_t>(from), found.end(),
                                  wanted.begin() + static_cast<std::ptrdiff_t>(from));
    out.push_back({Damage::flipped, fmt::format("flipped: {} bit{}, the first in byte {}", bits, bits == 1 ? "" : "s",
                                                at.first - found.begin())});
    return;
  }
  if (bits == 0) return;
  if (const auto at = torn_behind(found, wanted, from))
    out.push_back({Damage::torn, fmt::format("torn at byte {}: the bytes from there on are not from this write", *at)});
  else if (const auto back = torn_before(found, wanted, from))
    out.push_back({Damage::torn, fmt::format("torn at byte {}: the bytes before it are not from this write", *back)});
  if (repeats(wanted.subspan(from, std::min<std::size_t>(wanted.size() - from, 1024)))) return;
  if (const auto shift = shift_of(found, wanted, from))
    out.push_back({Damage::shifted, fmt::format("shifted by {} bytes", *shift)});
}

}  // namespace

const char* name(Damage damage) {
  constexpr const char* names[] = {"zeroes", "misdirected", "lost", "shifted", "torn", "flipped"};
  return names[static_cast<std::size_t>(damage)];
}

std::vector<Finding> tell_damage(Bytes found, Bytes wanted, std::size_t comparable, const Verdict& verdict) {
  std::vector<Finding> out;
  const bool nothing = std::all_of(found.begin(), found.end(), [](std::byte byte) { return byte == std::byte{0}; });
  if (nothing) {
    out.push_back({Damage::zeroes, "zeroes: only zero bytes"});
    out.push_back({Damage::lost, "lost: nothing was written to this block before"});
    return out;
  }
  look_at_header(found, verdict, out);
  if (out.empty() && wanted.size() == found.size() && comparable < found.size())
    look_beside(found, wanted, comparable, out);
  return out;
}

std::string damage_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const auto& finding : findings) text += (text.empty() ? "" : ", or ") + finding.text;
  return text;
}

}  // namespace fathom::verify
