// Writes and checks the header of a chunk. The CRC is ISA-L's, which selects the CPU's fastest method at run time.
#include "workload/bytes/verify.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace fathom::workload::bytes {
namespace {

struct Header {
  std::uint64_t magic, offset, generation;
  std::uint32_t length, crc;
};
static_assert(sizeof(Header) == kVerifyHeader);
static_assert(offsetof(Header, length) == 24 && offsetof(Header, crc) == 28);
static_assert(std::endian::native == std::endian::little);

std::uint32_t crc_of_chunk(std::span<const std::byte> chunk) {
  return crc32c(chunk.subspan(kVerifyHeader), crc32c(chunk.first(offsetof(Header, crc))));
}

// Calls use(chunk, its offset) for each chunk of a block, until it returns false.
template <class Byte, class Use>
void for_each_chunk(std::span<Byte> block, std::uint64_t offset, std::uint32_t interval, Use use) {
  for (std::size_t at = 0; block.size() - at > kVerifyHeader;) {
    const std::size_t length = std::min<std::size_t>(interval, block.size() - at);
    if (!use(block.subspan(at, length), offset + at)) return;
    at += length;
  }
}

Verdict check_chunk(std::span<const std::byte> chunk, std::uint64_t offset, std::uint64_t generation) {
  Header h;
  std::memcpy(&h, chunk.data(), sizeof h);
  if (h.magic != kVerifyMagic) return {Flaw::magic, offset, kVerifyMagic, h.magic};
  if (h.offset != offset) return {Flaw::offset, offset, offset, h.offset};
  if (h.length != chunk.size()) return {Flaw::length, offset, chunk.size(), h.length};
  if (const std::uint32_t crc = crc_of_chunk(chunk); crc != h.crc) return {Flaw::crc, offset, h.crc, crc};
  if (generation != 0 && h.generation != generation) return {Flaw::generation, offset, generation, h.generation};
  return {};
}

}  // namespace

const char* name(Flaw flaw) {
  constexpr const char* kNames[] = {"none", "magic", "offset", "length", "generation", "crc"};
  return kNames[static_cast<std::size_t>(flaw)];
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
  // ISA-L's parameter lacks a const, and its function inverts nothing.
  auto* data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));
  return ~::crc32_iscsi(data, static_cast<int>(bytes.size()), ~before);
}

void stamp_block(std::span<std::byte> block, std::uint64_t offset, std::uint32_t interval, std::uint64_t generation) {
  for_each_chunk(block, offset, interval, [&](std::span<std::byte> chunk, std::uint64_t at) {
    Header h{kVerifyMagic, at, generation, static_cast<std::uint32_t>(chunk.size()), 0};
    std::memcpy(chunk.data(), &h, sizeof h);
    h.crc = crc_of_chunk(chunk);
    std::memcpy(chunk.data() + offsetof(Header, crc), &h.crc, sizeof h.crc);
    return true;
  });
}

Verdict check_block(std::span<const std::byte> block, std::uint64_t offset, std::uint32_t interval,
                    std::uint64_t generation) {
  Verdict verdict;
  for_each_chunk(block, offset, interval, [&](std::span<const std::byte> chunk, std::uint64_t at) {
    verdict = check_chunk(chunk, at, generation);
    return verdict.good();
  });
  return verdict;
}

}  // namespace fathom::workload::bytes
