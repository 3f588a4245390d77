// Opens a bundle and compares it with its manifest. The bundle is not trusted. Pure but for loading OpenSSL.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "bundle/archive.h"
#include "bundle/keys.h"
#include "bundle/manifest.h"
#include "result/commands/bundle_check.h"

namespace fathom::bundle {

struct Opened {
  Archive archive;
  Manifest manifest;
  result::BundleCheck check;
};

// Damaged, missing and extra members and a wrong signature are data: Opened::check.
// ErrorKind::usage: no bundle (archive.h), a manifest that cannot be read, or a wrong key.
base::Expected<Opened> open_bundle(std::string bytes, const std::string& file, const std::optional<Key>& key);

// The content of a member, which must be shorter than `most_bytes`.
base::Expected<std::string> content_of(const Archive& archive, std::string_view member, std::size_t most_bytes);

}  // namespace fathom::bundle
