// Options of ioengine=http: fio's names and defaults. The engine has the same defaults (plugins/http.cc).
#pragma once
#include <fmt/format.h>

#include "io/engine_effects.h"
#include "io/plugin_options.h"

namespace fathom::io {

namespace http {

constexpr std::string_view kSecrets[] = {"http_pass", "http_s3_key", "http_s3_security_token",
                                         "http_s3_sse_customer_key", "http_swift_auth_token"};

// A header or an address would end at such a character.
inline Outcome check_characters(const PluginOptions& options) {
  for (const auto& [name, value] : options.passed)
    if (std::any_of(value.begin(), value.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
      return Problem{fmt::format("{} has a control character", name),
                     "a header of a request cannot contain it",
                     "write the value in one line",
                     {}};
  return {};
}

// The job of a result or a bundle has no secrets.
inline Outcome check_secrets(const PluginOptions& options) {
  for (const auto name : kSecrets)
    if (text_of(options, name) == kSecret)
      return Problem{fmt::format("the value of {} is missing", name),
                     "a result and a bundle do not contain secrets",
                     fmt::format("write the value, or add `--set={}=VALUE`", name),
                     {}};
  return {};
}

inline Outcome check_host(const PluginOptions& options) {
  const auto host = text_of(options, "http_host", "localhost");
  constexpr const char* kHelp = "write for example `http_host=localhost:8080`; https= selects the protocol";
  if (host.empty()) return Problem{"http_host= is empty", "it names the server", kHelp, {}};
  if (host.find("://") == host.npos && host.find_first_of("@?# ") == host.npos && host[0] != '/') return {};
  return Problem{fmt::format("http_host={} is not a host", host), "it is HOST, HOST:PORT or HOST:PORT/PATH", kHelp, {}};
}

inline Outcome check_login(const PluginOptions& options) {
  if (text_of(options, "http_mode") == "s3")
    for (const auto name : {"http_s3_keyid", "http_s3_key"})
      if (text_of(options, name).empty())
        return Problem{fmt::format("http_mode=s3: {}= is missing", name),
                       "each request is signed with the key",
                       fmt::format("write for example `{}=${{S3_KEY}}`: a variable of the environment", name),
                       {}};
  if (text_of(options, "http_user").empty() != text_of(options, "http_pass").empty())
    return Problem{"http_user= or http_pass= is missing", "a login has both", "write both, or neither", {}};
  constexpr std::size_t kSseKey_bytes = 32;
  if (text_of(options, "http_s3_sse_customer_key").size() > kSseKey_bytes)
    return Problem{fmt::format("http_s3_sse_customer_key= is longer than {} bytes", kSseKey_bytes),
                   "AES256 has keys of that size",
                   "write the key itself, not its base64",
                   {}};
  return {};
}

inline void note_unused(const PluginOptions& options, std::vector<std::string>& ignored) {
  const auto mode = text_of(options, "http_mode", "webdav");
  for (const auto& [name, value] : options.passed) {
    const bool unused =
        (name.starts_with("http_s3_") && mode != "s3") || (name.starts_with("http_swift_") && mode != "swift");
    if (unused) ignored.push_back(fmt::format("{}, because http_mode={} does not use it", name, mode));
  }
}

}  // namespace http

inline Outcome settle_http(EngineOptions& options, const Mode&) {
  const auto& passed = options.own.get<PluginOptions>();
  for (const auto check : {http::check_characters, http::check_secrets, http::check_host, http::check_login})
    if (auto problem = check(passed)) return problem;
  http::note_unused(passed, options.own.get<EngineEffects>().ignored);
  return {};
}

inline constexpr Choice kHttpModes[] = {
    {"webdav", 0, "a WebDAV server"}, {"s3", 1, "S3, signature version 4"}, {"swift", 2, "OpenStack Swift"}};
inline constexpr Choice kHttps[] = {{"off", 0, "HTTP"},
                                    {"on", 1, "HTTPS; the server's certificate is verified"},
                                    {"insecure", 2, "HTTPS without verification of the certificate"}};
inline constexpr Choice kHttpMissing[] = {{"zeros", 0, "the read succeeds, and its buffer has zeros, as in fio"},
                                          {"error", 1, "the read fails"}};

inline constexpr Row kHttpRows[] = {
    passed({"http_host", "localhost", "Server: HOST, HOST:PORT or HOST:PORT/PATH"}),
    passed({"http_user", "", "User name of a login"}),
    passed_secret({"http_pass", "", "Password of a login"}),
    passed_choice({"https", "off", "HTTPS instead of HTTP"}, kHttps),
    passed_choice({"http_mode", "webdav", "Protocol of the object store"}, kHttpModes),
    passed_choice({"http_missing", "zeros", "Result of a read of a missing object", "", kOwn}, kHttpMissing),
    passed({"http_s3_region", "us-east-1", "Region in the signature of S3"}),
    passed_secret({"http_s3_key", "", "Secret key of S3"}),
    passed({"http_s3_keyid", "", "Access key id of S3"}),
    passed_secret({"http_s3_security_token", "", "Session token of temporary S3 keys"}),
    passed_secret({"http_s3_sse_customer_key", "", "Customer key of S3, with which the server encrypts objects"}),
    passed({"http_s3_sse_customer_algorithm", "AES256", "Algorithm of the customer key"}),
    passed({"http_s3_storage_class", "STANDARD", "Storage class of S3"}),
    passed_secret({"http_swift_auth_token", "", "Authentication token of Swift"}),
    passed_number({"http_verbose", "0", "Headers on standard error: 1; also the sizes of data: 2"}, 0, 2),
};
inline constexpr OptionTable kHttpOptions{"http", kHttpRows, "Options of engines", settle_http};

}  // namespace fathom::io
