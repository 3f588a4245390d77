// Controllers as results: all of the machine, or one open controller with its namespaces. `fathom nvme list`,
// `fathom nvme identify`.
#pragma once
#include <string>

#include "nvme/controller.h"
#include "result/commands/nvme_fields.h"
#include "result/commands/nvme_list.h"

namespace fathom::session::controllers {

// Reads /sys and queries the guard; accesses no device.
result::NvmeList list_controllers();

// name: of the controller, as in --device=.
result::NvmeIdentify describe(nvme::Controller& controller, std::string name);

}  // namespace fathom::session::controllers
