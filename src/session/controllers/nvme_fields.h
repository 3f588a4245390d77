// Controller data as rows of name and value, with nvme-cli's names, so that parsers of its output also read this. Pure
// functions of the wire structures.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "nvme/identify.h"
#include "nvme/log_page.h"
#include "result/commands/nvme_fields.h"

namespace fathom::session::controllers {

using Field = result::NvmeField;
using Fields = result::NvmeFields;

Fields id_ctrl_fields(const nvme::IdentifyController& id);
Fields id_ns_fields(const nvme::IdentifyNamespace& id);
Fields smart_fields(const nvme::SmartLog& page);
Fields error_fields(const nvme::ErrorLogEntry& entry);
Fields firmware_fields(const nvme::FirmwareLog& page);  // slots in use
// One field per namespace; `overflow` if more namespaces changed than the page can list.
Fields changed_namespace_fields(const nvme::ChangedNamespaces& page);

// Text from the wire: up to the first NUL, without padding blanks.
std::string wire_text(std::span<const char> text);

}  // namespace fathom::session::controllers
