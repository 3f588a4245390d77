// The log pages that the specification makes mandatory, and the list of changed namespaces: one row per page. `fathom
// nvme log`.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "nvme/controller.h"
#include "nvme/log_page.h"
#include "result/commands/nvme_fields.h"

namespace fathom::session::controllers {

struct LogRow {
  std::string_view name;
  nvme::LogPage page;
  std::size_t bytes;                                                       // maximum
  std::vector<result::NvmeFields> (*entries)(std::span<const std::byte>);  // decodes the bytes of the page
};
std::span<const LogRow> log_rows();

// Returns the page as the device sent it.
base::Expected<std::vector<std::byte>> read_log_page(nvme::Controller& controller, const LogRow& row);

}  // namespace fathom::session::controllers
