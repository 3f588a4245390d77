// OpenSSL's one-shot functions: Ed25519 has no streaming form.
#include "bundle/keys.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "base/text/printable.h"

namespace fathom::bundle {
namespace {

using verify::digest::Libcrypto;

base::Expected<const Libcrypto*> openssl_functions() {
  auto functions = verify::digest::libcrypto();
  if (functions) return functions;
  auto error = functions.error();
  error.what = "OpenSSL cannot be loaded: a bundle needs its checksums";
  error.help = "install libssl3";
  return error;
}

base::Error wrong_key(const Key& key, std::string what, std::string cause, std::string help) {
  base::Error error;
  error.what = fmt::format("`{}`: {}", base::text::printable(key.file), what);
  error.cause = std::move(cause);
  error.help = std::move(help);
  return error;
}

// Without it, OpenSSL asks for the password of an encrypted key on the terminal.
int no_password(char*, int, int, void*) { return -1; }

using LoadedKey = std::unique_ptr<::EVP_PKEY, decltype(&::EVP_PKEY_free)>;

LoadedKey key_in(const Libcrypto& openssl, const Key& key, bool is_private) {
  LoadedKey loaded(nullptr, openssl.key_free);
  auto* text = openssl.text_new(key.pem.data(), static_cast<int>(key.pem.size()));
  if (text == nullptr) return loaded;
  loaded.reset(is_private ? openssl.read_private_key(text, nullptr, no_password, nullptr)
                          : openssl.read_public_key(text, nullptr, no_password, nullptr));
  openssl.text_free(text);
  openssl.clear_errors();
  return loaded;
}

base::Error no_key(const Libcrypto& openssl, const Key& key, bool is_private) {
  if (is_private && key.pem.find("ENCRYPTED") != key.pem.npos)
    return wrong_key(key, "the key is encrypted", "fathom asks for no password",
                     "decrypt it to a file that others cannot read: openssl pkey -in KEY.pem -out PLAIN.pem");
  if (is_private && key_in(openssl, key, false))
    return wrong_key(key, "this is a public key", "signing needs the private key", "name the private key's file");
  if (!is_private && key_in(openssl, key, true))
    return wrong_key(key, "this is a private key", "checking needs the public key",
                     "write it to a file: openssl pkey -in KEY.pem -pubout -out PUB.pem");
  return wrong_key(key, is_private ? "not a private key in a PEM file" : "not a public key in a PEM file", "",
                   is_private ? "make one: openssl genpkey -algorithm ed25519 -out KEY.pem"
                              : "write it from the private key: openssl pkey -in KEY.pem -pubout -out PUB.pem");
}

base::Expected<LoadedKey> read_key(const Libcrypto& openssl, const Key& key, bool is_private) {
  auto loaded = key_in(openssl, key, is_private);
  if (!loaded) return no_key(openssl, key, is_private);
  if (openssl.key_kind(loaded.get()) == EVP_PKEY_ED25519) return loaded;
  const char* kind = openssl.key_kind_name(loaded.get());
  return wrong_key(key, "not an Ed25519 key", fmt::format("it is a key for {}", kind != nullptr ? kind : "another use"),
                   "make one: openssl genpkey -algorithm ed25519 -out KEY.pem");
}

class Context {
 public:
  explicit Context(const Libcrypto& openssl) : openssl_(openssl), context_(openssl.context_new()) {}
  ~Context() { openssl_.context_free(context_); }
  Context(const Context&) = delete;
  ::EVP_MD_CTX* get() const { return context_; }

 private:
  const Libcrypto& openssl_;
  ::EVP_MD_CTX* const context_;
};

const unsigned char* unsigned_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

Sha256::Sha256(const Libcrypto& openssl) : openssl_(&openssl) { openssl.sha256_init(&state_); }

base::Expected<Sha256> Sha256::make() {
  const auto openssl = openssl_functions();
  if (!openssl) return openssl.error();
  return Sha256(**openssl);
}

void Sha256::add(std::string_view bytes) { openssl_->sha256_update(&state_, bytes.data(), bytes.size()); }

std::string Sha256::hex() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  openssl_->sha256_final(digest.data(), &state_);
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

base::Expected<std::string> sha256_of(std::string_view bytes) {
  auto sum = Sha256::make();
  if (!sum) return sum.error();
  sum->add(bytes);
  return sum->hex();
}

base::Expected<std::string> sign(std::string_view text, const Key& key) {
  const auto openssl = openssl_functions();
  if (!openssl) return openssl.error();
  const auto& f = **openssl;
  auto loaded = read_key(f, key, true);
  if (!loaded) return loaded.error();
  const Context context(f);
  std::array<unsigned char, 64> signature;
  std::size_t size = signature.size();
  const bool done = context.get() != nullptr &&
                    f.sign_init(context.get(), nullptr, nullptr, nullptr, loaded->get()) == 1 &&
                    f.sign(context.get(), signature.data(), &size, unsigned_bytes(text), text.size()) == 1;
  f.clear_errors();
  if (!done) return wrong_key(key, "OpenSSL could not sign with this key", "", "");
  return std::string(reinterpret_cast<const char*>(signature.data()), size);
}

base::Expected<bool> is_signed_by(const Key& key, std::string_view text, std::string_view signature) {
  const auto openssl = openssl_functions();
  if (!openssl) return openssl.error();
  const auto& f = **openssl;
  auto loaded = read_key(f, key, false);
  if (!loaded) return loaded.error();
  const Context context(f);
  const bool valid =
      context.get() != nullptr && f.verify_init(context.get(), nullptr, nullptr, nullptr, loaded->get()) == 1 &&
      f.verify(context.get(), unsigned_bytes(signature), signature.size(), unsigned_bytes(text), text.size()) == 1;
  f.clear_errors();
  return valid;
}

}  // namespace fathom::bundle
