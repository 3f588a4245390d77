// The features that this driver does not support, in one table.
// A device may need them (a namespace with metadata), an admin command (SGLs), or a user may name them.
// Thread rule: pure functions; any thread.
#pragma once
#include <string>
#include <string_view>

#include "base/error.h"

namespace fathom::nvme {

enum class NotBuilt {
  sgl,
  metadata,
  protection_information,
  controller_memory_buffer,
  shadow_doorbells,
  zoned_namespaces,
  key_value,
  other_command_set,
  fabrics,
  administrative_controller,
  wide_submission_entries,
  large_pages,
  block_layer,
};

// ErrorKind::not_built: "SUBJECT: metadata: not built", with cause and remedy.
base::Error not_built(NotBuilt what, const std::string& subject);
// Finds a feature by the name that a user writes ("cmb", "sgl", "zns", "pi"). nullptr: no such name.
const NotBuilt* find_not_built(std::string_view name);

}  // namespace fathom::nvme
