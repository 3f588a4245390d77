// What this driver does not do, said in one place: asked for by a device (a namespace with metadata), by an admin
// command (SGLs) or by name.
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

// ErrorKind::not_built: "SUBJECT: metadata: not built", with cause and a remedy.
base::Error not_built(NotBuilt what, const std::string& subject);
// By the name a user would write ("cmb", "sgl", "zns", "pi"); nullptr: no such row.
const NotBuilt* find_not_built(std::string_view name);

}  // namespace fathom::nvme
