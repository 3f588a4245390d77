// Blocks and what the tests say of them.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "verify/digest/libcrypto.h"

namespace fathom::verify::testing {

inline std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

inline std::vector<std::byte> bytes(std::string_view text) {
  const auto raw = std::as_bytes(std::span(text));
  return {raw.begin(), raw.end()};
}

inline std::string md5_hex(std::span<const std::byte> data) {
  const auto openssl = digest::libcrypto();
  ::MD5_CTX context;
  std::byte digest[16];
  (*openssl)->md5_init(&context);
  (*openssl)->md5_update(&context, data.data(), data.size());
  (*openssl)->md5_final(reinterpret_cast<unsigned char*>(digest), &context);
  return hex(digest);
}

}  // namespace fathom::verify::testing
