// Digests of ioengine=http, and the signature of S3, version 4. All lengths are known when a queue opens, so a request
// is signed in place: no call allocates after the constructors.
// Source: Amazon S3 API Reference, "Authenticating Requests: Using the Authorization Header".
// Thread rule: one thread at a time. The constructors throw std::bad_alloc; a digest that OpenSSL lacks is an error of
// the same kind.
#pragma once
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <cstring>
#include <ctime>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace http_sign {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

inline constexpr std::size_t kSha256_bytes = 32, kHex = 2 * kSha256_bytes;
using Sha256 = std::array<unsigned char, kSha256_bytes>;

inline void to_hex(const unsigned char* bytes, std::size_t count, char* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < count; ++i) {
    *out++ = kDigits[bytes[i] >> 4];
    *out++ = kDigits[bytes[i] & 15];
  }
}

class Digest {
 public:
  explicit Digest(const char* name) : method_(EVP_MD_fetch(nullptr, name, nullptr)), context_(EVP_MD_CTX_new()) {
    if (method_ == nullptr || context_ == nullptr) throw std::bad_alloc();
  }
  void begin() { EVP_DigestInit_ex2(context_.get(), method_.get(), nullptr); }
  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  void end(unsigned char* out) { EVP_DigestFinal_ex(context_.get(), out, nullptr); }
  void of(std::string_view bytes, unsigned char* out) {
    begin();
    add(bytes);
    end(out);
  }

 private:
  std::unique_ptr<EVP_MD, Freed<EVP_MD_free>> method_;
  std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>> context_;
};

class Hmac {
 public:
  Hmac() : method_(EVP_MAC_fetch(nullptr, "HMAC", nullptr)) {
    if (method_ == nullptr) throw std::bad_alloc();
    context_.reset(EVP_MAC_CTX_new(method_.get()));
    char digest[] = "SHA256";
    const OSSL_PARAM settings[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                   OSSL_PARAM_construct_end()};
    if (context_ == nullptr || EVP_MAC_CTX_set_params(context_.get(), settings) != 1) throw std::bad_alloc();
  }
  Sha256 of(std::string_view key, std::string_view text) {
    Sha256 out{};
    std::size_t length = 0;
    EVP_MAC_init(context_.get(), reinterpret_cast<const unsigned char*>(key.data()), key.size(), nullptr);
    EVP_MAC_update(context_.get(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
    EVP_MAC_final(context_.get(), out.data(), &length, out.size());
    return out;
  }

 private:
  std::unique_ptr<EVP_MAC, Freed<EVP_MAC_free>> method_;
  std::unique_ptr<EVP_MAC_CTX, Freed<EVP_MAC_CTX_free>> context_;
};

inline std::string base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, 0);
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

struct Account {
  std::string host, region, key_id, key;
  // Further headers that are signed: lower case, sorted, after x-amz-date.
  std::vector<std::pair<std::string, std::string>> headers;
};

// The headers of a request that its signature determines. Their addresses stay the same.
struct SignedLines {
  std::string content, date, authorization;
};

class Signer {
 public:
  explicit Signer(Account account) : account_(std::move(account)), sha256_("SHA256") {
    names_ = "host;x-amz-content-sha256;x-amz-date";
    for (const auto& [name, value] : account_.headers) {
      names_ += ";" + name;
      further_ += name + ":" + value + "\n";
    }
    scope_ = "00000000/" + account_.region + "/s3/aws4_request";
    to_sign_ = std::string(kAlgorithm) + "\n" + std::string(kDate, '0') + "\n" + scope_ + "\n" + std::string(kHex, '0');
    root_ = "AWS4" + account_.key;
    sha256_.of("", nothing_.data());
  }

  SignedLines lines() const {
    return {std::string(kContent) + std::string(kHex, '0'), std::string(kDateIs) + std::string(kDate, '0'),
            std::string(kCredential) + account_.key_id + "/" + scope_ + ", SignedHeaders=" + names_ +
                ", Signature=" + std::string(kHex, '0')};
  }

  // path: encoded, from its first slash.
  void sign(std::string_view method, std::string_view path, std::string_view body, SignedLines& lines) {
    look_at_clock();
    Sha256 hash = nothing_;
    if (!body.empty()) sha256_.of(body, hash.data());
    char* const content = lines.content.data() + kContent.size();
    to_hex(hash.data(), hash.size(), content);
    std::memcpy(lines.date.data() + kDateIs.size(), date_, kDate);
    sha256_.begin();
    for (const std::string_view part :
         {method, std::string_view("\n"), path, std::string_view("\n\nhost:"), std::string_view(account_.host),
          std::string_view("\nx-amz-content-sha256:"), std::string_view(content, kHex),
          std::string_view("\nx-amz-date:"), std::string_view(date_, kDate), std::string_view("\n"),
          std::string_view(further_), std::string_view("\n"), std::string_view(names_), std::string_view("\n"),
          std::string_view(content, kHex)})
      sha256_.add(part);
    sha256_.end(hash.data());
    to_hex(hash.data(), hash.size(), to_sign_.data() + to_sign_.size() - kHex);
    const Sha256 signature = hmac_.of(text_of(day_key_), to_sign_);
    std::memcpy(lines.authorization.data() + kCredential.size() + account_.key_id.size() + 1, date_, kDay);
    to_hex(signature.data(), signature.size(), lines.authorization.data() + lines.authorization.size() - kHex);
  }

 private:
  static constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256",
                                    kContent = "x-amz-content-sha256: ", kDateIs = "x-amz-date: ",
                                    kCredential = "Authorization: AWS4-HMAC-SHA256 Credential=";
  static constexpr std::size_t kDate = 16, kDay = 8;  // 20261130T120000Z

  static std::string_view text_of(const Sha256& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  // The protocol's date has whole seconds. A key is valid for one day.
  void look_at_clock() {
    const std::time_t now_s = std::time(nullptr);
    if (now_s == seen_s_) return;
    seen_s_ = now_s;
    std::tm utc{};
    gmtime_r(&now_s, &utc);
    const bool same_day = utc.tm_yday == day_ && utc.tm_year == year_;
    std::strftime(date_, sizeof date_, "%Y%m%dT%H%M%SZ", &utc);
    std::memcpy(to_sign_.data() + kAlgorithm.size() + 1, date_, kDate);
    if (same_day) return;
    day_ = utc.tm_yday, year_ = utc.tm_year;
    std::memcpy(to_sign_.data() + kAlgorithm.size() + 1 + kDate + 1, date_, kDay);
    Sha256 key = hmac_.of(root_, {date_, kDay});
    for (const std::string_view part :
         {std::string_view(account_.region), std::string_view("s3"), std::string_view("aws4_request")})
      key = hmac_.of(text_of(key), part);
    day_key_ = key;
  }

  Account account_;
  Digest sha256_;
  Hmac hmac_;
  Sha256 nothing_{}, day_key_{};  // digest of an empty body
  std::string names_, further_, scope_, to_sign_, root_;
  char date_[kDate + 1] = {};
  std::time_t seen_s_ = -1;
  int day_ = -1, year_ = -1;
};

}  // namespace http_sign
