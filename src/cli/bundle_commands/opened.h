// Reads a bundle and a key file for `verify-bundle` and `rerun`.
#pragma once
#include <optional>
#include <string>

#include "base/error.h"
#include "base/files/input_file.h"
#include "bundle/check.h"
#include "options/rows.h"

namespace fathom::cli::bundle_commands {

inline constexpr options::Texts kKeyRow{"key=PUB.pem", "",
                                        "require a signature by the private key of this public Ed25519 key (PEM)"};

// path: empty: no key.
inline base::Expected<std::optional<bundle::Key>> read_key_file(const std::string& path) {
  if (path.empty()) return std::optional<bundle::Key>();
  auto text = base::files::read_input("key", path, bundle::kMostKeyBytes);
  if (!text) return text.error();
  return std::optional<bundle::Key>({std::move(*text), path});
}

inline base::Expected<bundle::Opened> read_bundle(const std::string& path, const std::string& key_path) {
  auto key = read_key_file(key_path);
  if (!key) return key.error();
  auto bytes = base::files::read_input("bundle", path, bundle::kMostArchive_bytes);
  if (!bytes) return bytes.error();
  return bundle::open_bundle(std::move(*bytes), path == "-" ? "<standard input>" : path, *key);
}

}  // namespace fathom::cli::bundle_commands
