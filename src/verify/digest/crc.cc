// Slicing: a separate table contains the effect of a byte that k others follow. 16 bytes are therefore 16 independent
// lookups, instead of 16 steps that each wait for the previous one. Source: Kounavis and Berry, "A Systematic Approach
// to Building High Performance Software-Based CRC Generators", 2005.
#include "verify/digest/crc.h"

#include <isa-l/crc.h>
#include <isa-l/crc64.h>

#include <algorithm>
#include <array>

namespace fathom::verify::digest {
namespace {

constexpr std::size_t kSlices = 16;

// CRC-16/ARC, byte by byte: the low bit comes first.
struct Arc {
  using Word = std::uint16_t;
  static constexpr Word step(Word state, std::uint8_t byte) {
    state = static_cast<Word>(state ^ byte);
    for (int bit = 0; bit < 8; ++bit) state = static_cast<Word>((state >> 1) ^ ((state & 1) != 0 ? 0xa001 : 0));
    return state;
  }
};

// CRC-7, with its seven bits at the upper end of a byte.
struct Mmc {
  using Word = std::uint8_t;
  static constexpr Word step(Word state, std::uint8_t byte) {
    state = static_cast<Word>(state ^ byte);
    for (int bit = 0; bit < 8; ++bit) state = static_cast<Word>((state << 1) ^ ((state & 0x80) != 0 ? 0x09 << 1 : 0));
    return state;
  }
};

// Table k: the effect of a byte after k further zero bytes.
template <class Crc>
constexpr auto make_tables() {
  std::array<std::array<typename Crc::Word, 256>, kSlices> tables{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    auto state = Crc::step(0, static_cast<std::uint8_t>(byte));
    for (auto& table : tables) {
      table[byte] = state;
      state = Crc::step(state, 0);
    }
  }
  return tables;
}

template <class Crc>
typename Crc::Word sliced(std::span<const std::byte> bytes) {
  using Word = typename Crc::Word;
  static constexpr auto kTables = make_tables<Crc>();
  Word state = 0;
  const auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const auto* const end = at + bytes.size();
  for (; end - at >= static_cast<std::ptrdiff_t>(kSlices); at += kSlices) {
    // The state is added to the first bytes, low byte first. A state of one byte has no second byte.
    Word next = kTables[kSlices - 1][at[0] ^ (state & 0xff)];
    next = static_cast<Word>(next ^ kTables[kSlices - 2][at[1] ^ (static_cast<unsigned>(state) >> 8)]);
    for (std::size_t i = 2; i < kSlices; ++i) next = static_cast<Word>(next ^ kTables[kSlices - 1 - i][at[i]]);
    state = next;
  }
  for (; at != end; ++at) state = Crc::step(state, *at);
  return state;
}

// ISA-L's wide code does not clear the upper halves of the registers that it used. From then on, each SSE instruction
// must preserve them. Code compiled for any x86-64 has only such instructions. Filling the next block then takes five
// times as long.
#if defined(__x86_64__)
[[gnu::target("avx"), gnu::noinline]] void zero_upper_halves() { __builtin_ia32_vzeroupper(); }
const bool kHasUpperHalves = __builtin_cpu_supports("avx");
#else
void zero_upper_halves() {}
constexpr bool kHasUpperHalves = false;
#endif

template <class Word>
Word narrow_again(Word crc) {
  if (kHasUpperHalves) zero_upper_halves();
  return crc;
}

// Some functions of ISA-L count the bytes of a call in an int.
constexpr std::size_t kAtOnce = std::size_t{1} << 30;

}  // namespace

std::uint8_t crc7(std::span<const std::byte> bytes) { return static_cast<std::uint8_t>(sliced<Mmc>(bytes) >> 1); }

std::uint16_t crc16(std::span<const std::byte> bytes) { return sliced<Arc>(bytes); }

// ISA-L inverts the state before and after the computation.
std::uint32_t crc32(std::span<const std::byte> bytes) {
  return narrow_again(~::crc32_ieee(~0u, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

// ISA-L's parameter lacks a const, and its function inverts nothing.
std::uint32_t crc32c(std::span<const std::byte> bytes) {
  std::uint32_t state = ~0u;
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), kAtOnce));
    auto* data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(part.data()));
    state = ::crc32_iscsi(data, static_cast<int>(part.size()), state);
    bytes = bytes.subspan(part.size());
  }
  return narrow_again(state);
}

std::uint64_t crc64(std::span<const std::byte> bytes) {
  return narrow_again(~::crc64_jones_refl(~0ull, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace fathom::verify::digest
