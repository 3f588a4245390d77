// Checksums and signatures of a bundle, by OpenSSL (verify/digest/libcrypto.h): SHA-256, and Ed25519 of RFC 8032 with
// keys in PEM files as `openssl genpkey -algorithm ed25519` writes them. `openssl pkeyutl -verify -rawin` accepts these
// signatures. Errors: privilege: libcrypto is not installed; usage: a file that is no such key. Thread rule: any thread.
#pragma once
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "verify/digest/libcrypto.h"

namespace fathom::bundle {

inline constexpr std::size_t kMostKeyBytes = 64 << 10;

// The text of a key file, and the file's name for messages.
struct Key {
  std::string pem, file;
};

class Sha256 {
 public:
  static base::Expected<Sha256> make();
  void add(std::string_view bytes);
  std::string hex();  // lower case; ends the computation

 private:
  explicit Sha256(const verify::digest::Libcrypto& openssl);

  const verify::digest::Libcrypto* openssl_;
  ::SHA256_CTX state_ = {};
};
base::Expected<std::string> sha256_of(std::string_view bytes);

// The signature of `text`: 64 bytes. The key must be private and not encrypted.
base::Expected<std::string> sign(std::string_view text, const Key& key);
// Whether the private key of this public key made the signature.
base::Expected<bool> is_signed_by(const Key& key, std::string_view text, std::string_view signature);

}  // namespace fathom::bundle
