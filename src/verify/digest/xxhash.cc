// XXH32 of seed 1, which is what fio calls xxhash, little-endian.
#include <xxhash.h>

#include <cstring>

#include "verify/digest/digests.h"

namespace fathom::verify::digest {

void digest_xxhash(HashState&, std::span<const std::byte> data, std::byte* field) {
  const XXH32_hash_t hash = ::XXH32(data.data(), data.size(), 1);
  std::memcpy(field, &hash, sizeof hash);
}

}  // namespace fathom::verify::digest
