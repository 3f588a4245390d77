// Loads libcrypto with one dlopen, and each function with one dlsym.
#include "verify/digest/libcrypto.h"

#include <string>

#include <fmt/format.h>

#include "base/system/shared_library.h"

namespace fathom::verify::digest {
namespace {

const std::string kFile = fmt::format("libcrypto.so.{}", OPENSSL_SHLIB_VERSION);

struct Loaded {
  Libcrypto functions;
  std::string missing;  // functions that were not found; empty: none is missing
};

void take_signatures(base::system::SharedLibrary& library, Libcrypto& f) {
  library.take("BIO_new_mem_buf", f.text_new);
  library.take("BIO_free", f.text_free);
  library.take("PEM_read_bio_PrivateKey", f.read_private_key);
  library.take("PEM_read_bio_PUBKEY", f.read_public_key);
  library.take("EVP_PKEY_get_base_id", f.key_kind);
  library.take("EVP_PKEY_get0_type_name", f.key_kind_name);
  library.take("EVP_PKEY_free", f.key_free);
  library.take("EVP_DigestSignInit", f.sign_init);
  library.take("EVP_DigestSign", f.sign);
  library.take("EVP_DigestVerifyInit", f.verify_init);
  library.take("EVP_DigestVerify", f.verify);
  library.take("ERR_clear_error", f.clear_errors);
}

Loaded load() {
  Loaded loaded;
  base::system::SharedLibrary library(kFile.c_str());
  auto& f = loaded.functions;
  library.take("MD5_Init", f.md5_init);
  library.take("MD5_Update", f.md5_update);
  library.take("MD5_Final", f.md5_final);
  library.take("SHA1_Init", f.sha1_init);
  library.take("SHA1_Update", f.sha1_update);
  library.take("SHA1_Final", f.sha1_final);
  library.take("SHA256_Init", f.sha256_init);
  library.take("SHA256_Update", f.sha256_update);
  library.take("SHA256_Transform", f.sha256_transform);
  library.take("SHA256_Final", f.sha256_final);
  library.take("SHA512_Init", f.sha512_init);
  library.take("SHA512_Update", f.sha512_update);
  library.take("SHA512_Final", f.sha512_final);
  library.take("EVP_MD_fetch", f.md_fetch);
  library.take("EVP_MD_free", f.md_free);
  library.take("EVP_MD_CTX_new", f.context_new);
  library.take("EVP_MD_CTX_free", f.context_free);
  library.take("EVP_DigestInit_ex", f.digest_init);
  library.take("EVP_DigestUpdate", f.digest_update);
  library.take("EVP_DigestFinal_ex", f.digest_final);
  take_signatures(library, f);
  loaded.missing = library.missing();
  return loaded;
}

}  // namespace

base::Expected<const Libcrypto*> libcrypto() {
  static const Loaded kLoaded = load();
  if (kLoaded.missing.empty()) return &kLoaded.functions;
  return base::Error{.kind = base::ErrorKind::privilege,
                     .what = "OpenSSL's hashes cannot be loaded",
                     .cause = kLoaded.missing,
                     .help = "install libssl3, or verify with a method that does not need OpenSSL: crc32c, xxhash",
                     .place = std::nullopt};
}

}  // namespace fathom::verify::digest
