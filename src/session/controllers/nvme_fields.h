// What a controller says, as rows of name and value: nvme-cli's names, so that what reads its output reads this. Pure
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
Fields firmware_fields(const nvme::FirmwareLog& page);  // slots that hold something
// A field a namespace; `overflow` when more changed than the page can name.
Fields changed_namespace_fields(const nvme::ChangedNamespaces& page);

// Text of the wire: as far as the first NUL, without the blanks that fill it.
std::string wire_text(std::span<const char> text);

}  // namespace fathom::session::controllers
