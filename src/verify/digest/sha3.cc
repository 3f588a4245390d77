// SHA-3 of any length, as in the standard (FIPS 202). The context knows the length, and is restarted for each block.
#include "verify/digest/digests.h"

namespace fathom::verify::digest {

void digest_sha3(HashState& state, std::span<const std::byte> data, std::byte* field) {
  const auto& openssl = state.functions();
  openssl.digest_init(state.context(), nullptr, nullptr);
  openssl.digest_update(state.context(), data.data(), data.size());
  openssl.digest_final(state.context(), reinterpret_cast<unsigned char*>(field), nullptr);
}

}  // namespace fathom::verify::digest
