// The options of ioengine=http as the engine uses them: values of io/options/plugins/http.h, which checks them.
// Thread rule: pure functions, any thread; std::bad_alloc.
#pragma once
#include <fathom_engine.h>

#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "http_sign.h"

namespace http_options {

enum class Mode : std::uint8_t { webdav, s3, swift };
enum class Tls : std::uint8_t { off, on, insecure };

struct Options {
  std::string host = "localhost", prefix;  // http_host=HOST/PREFIX
  std::string user, pass, region = "us-east-1", key, key_id, session_token, customer_key;
  std::string customer_algorithm = "AES256", storage_class = "STANDARD", swift_token;
  Mode mode = Mode::webdav;
  Tls tls = Tls::off;
  bool missing_fails = false;
  int verbose = 0;
};

inline Options options_of(const fathom_open& asked) {
  Options o;
  const auto value = [&](const char* name) -> std::string_view {
    for (std::uint32_t i = 0; i < asked.option_count; ++i)
      if (std::strcmp(asked.options[i].name, name) == 0) return asked.options[i].value;
    return {};
  };
  const std::pair<const char*, std::string*> texts[] = {
      {"http_host", &o.host},
      {"http_user", &o.user},
      {"http_pass", &o.pass},
      {"http_s3_region", &o.region},
      {"http_s3_key", &o.key},
      {"http_s3_keyid", &o.key_id},
      {"http_s3_security_token", &o.session_token},
      {"http_s3_sse_customer_key", &o.customer_key},
      {"http_s3_sse_customer_algorithm", &o.customer_algorithm},
      {"http_s3_storage_class", &o.storage_class},
      {"http_swift_auth_token", &o.swift_token},
  };
  for (const auto& [name, text] : texts)
    if (!value(name).empty()) *text = value(name);
  o.mode = value("http_mode") == "s3" ? Mode::s3 : value("http_mode") == "swift" ? Mode::swift : Mode::webdav;
  o.tls = value("https") == "on" ? Tls::on : value("https") == "insecure" ? Tls::insecure : Tls::off;
  o.missing_fails = value("http_missing") == "error";
  const auto verbose = value("http_verbose");
  std::from_chars(verbose.data(), verbose.data() + verbose.size(), o.verbose);
  if (const auto slash = o.host.find('/'); slash != o.host.npos) {
    o.prefix = o.host.substr(slash);
    o.host.resize(slash);
    while (o.prefix.ends_with('/')) o.prefix.pop_back();
  }
  return o;
}

// The encoding of S3's signature, which any server decodes: everything but letters, digits and -._~/ as %XX.
inline std::string encoded(std::string_view name) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
    if (plain || (c != 0 && std::strchr("-._~/", c) != nullptr))
      out += c;
    else
      out.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return out;
}

// As libcurl writes it: without the protocol's own port.
inline std::string host_header(const Options& o) {
  const std::string_view own_port = o.tls == Tls::off ? ":80" : ":443";
  return o.host.ends_with(own_port) ? o.host.substr(0, o.host.size() - own_port.size()) : o.host;
}

inline http_sign::Account account_of(const Options& o) {
  http_sign::Account account{host_header(o), o.region, o.key_id, o.key, {}};
  auto& headers = account.headers;
  if (!o.session_token.empty()) headers.emplace_back("x-amz-security-token", o.session_token);
  if (!o.customer_key.empty()) {
    constexpr std::size_t kKey_bytes = 32;
    std::string key = o.customer_key;
    key.resize(kKey_bytes);  // as in fio, with zeros at the end
    std::string md5(16, 0);
    http_sign::Digest("MD5").of(key, reinterpret_cast<unsigned char*>(md5.data()));
    const std::string name = "x-amz-server-side-encryption-customer-";
    headers.emplace_back(name + "algorithm", o.customer_algorithm);
    headers.emplace_back(name + "key", http_sign::base64(key));
    headers.emplace_back(name + "key-md5", http_sign::base64(md5));
  }
  headers.emplace_back("x-amz-storage-class", o.storage_class);
  return account;
}

}  // namespace http_options
