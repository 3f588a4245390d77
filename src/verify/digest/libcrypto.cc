// One dlopen, and a dlsym a function.
#include "verify/digest/libcrypto.h"

#include <dlfcn.h>

#include <string>

#include <fmt/format.h>

namespace fathom::verify::digest {
namespace {

const std::string kFile = fmt::format("libcrypto.so.{}", OPENSSL_SHLIB_VERSION);

struct Loaded {
  Libcrypto functions;
  std::string missing;  // what could not be had; empty: nothing
};

template <class Function>
void look_up(void* library, const char* symbol, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
  if (function == nullptr) missing = symbol;
}

Loaded load() {
  Loaded loaded;
  void* const library = ::dlopen(kFile.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();
    loaded.missing = why != nullptr ? why : kFile;
    return loaded;
  }
  auto& f = loaded.functions;
  const auto take = [&](const char* symbol, auto& function) { look_up(library, symbol, function, loaded.missing); };
  take("MD5_Init", f.md5_init);
  take("MD5_Update", f.md5_update);
  take("MD5_Final", f.md5_final);
  take("SHA1_Init", f.sha1_init);
  take("SHA1_Update", f.sha1_update);
  take("SHA1_Final", f.sha1_final);
  take("SHA256_Init", f.sha256_init);
  take("SHA256_Update", f.sha256_update);
  take("SHA256_Transform", f.sha256_transform);
  take("SHA512_Init", f.sha512_init);
  take("SHA512_Update", f.sha512_update);
  take("SHA512_Final", f.sha512_final);
  take("EVP_MD_fetch", f.md_fetch);
  take("EVP_MD_free", f.md_free);
  take("EVP_MD_CTX_new", f.context_new);
  take("EVP_MD_CTX_free", f.context_free);
  take("EVP_DigestInit_ex", f.digest_init);
  take("EVP_DigestUpdate", f.digest_update);
  take("EVP_DigestFinal_ex", f.digest_final);
  return loaded;
}

}  // namespace

base::Expected<const Libcrypto*> libcrypto() {
  static const Loaded kLoaded = load();
  if (kLoaded.missing.empty()) return &kLoaded.functions;
  return base::Error{.kind = base::ErrorKind::privilege,
                     .what = "OpenSSL's hashes cannot be loaded",
                     .cause = kLoaded.missing,
                     .help = "install libssl3, or verify with a method that is none of OpenSSL's: crc32c, xxhash",
                     .place = std::nullopt};
}

}  // namespace fathom::verify::digest
