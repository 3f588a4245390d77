// Stores a CRC as the field of a method, in little-endian byte order.
#include <cstring>

#include "verify/digest/crc.h"
#include "verify/digest/digests.h"

namespace fathom::verify::digest {
namespace {

template <class Word>
void put(Word crc, std::byte* field) {
  std::memcpy(field, &crc, sizeof crc);
}

}  // namespace

void digest_crc7(HashState&, std::span<const std::byte> data, std::byte* field) { put(crc7(data), field); }
void digest_crc16(HashState&, std::span<const std::byte> data, std::byte* field) { put(crc16(data), field); }
void digest_crc32(HashState&, std::span<const std::byte> data, std::byte* field) { put(crc32(data), field); }
void digest_crc32c(HashState&, std::span<const std::byte> data, std::byte* field) { put(crc32c(data), field); }
void digest_crc64(HashState&, std::span<const std::byte> data, std::byte* field) { put(crc64(data), field); }

}  // namespace fathom::verify::digest
