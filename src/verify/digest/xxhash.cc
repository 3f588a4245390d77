// XXH32 with seed 1, which fio calls xxhash, in little-endian byte order.
#include <xxhash.h>

#include <cstring>

#include "verify/digest/digests.h"

namespace fathom::verify::digest {

void digest_xxhash(HashState&, std::span<const std::byte> data, std::byte* field) {
  const XXH32_hash_t hash = ::XXH32(data.data(), data.size(), 1);
  std::memcpy(field, &hash, sizeof hash);
}

}  // namespace fathom::verify::digest
