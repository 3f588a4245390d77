// What controllers are, as results: those of the machine, one that is open and its namespaces. `fathom nvme list`,
// `fathom nvme identify`.
#pragma once
#include <string>

#include "nvme/controller.h"
#include "result/commands/nvme_fields.h"
#include "result/commands/nvme_list.h"

namespace fathom::session::controllers {

// Reads /sys and asks the guard; no device is touched.
result::NvmeList list_controllers();

// `name`: of the controller, as --device= has it.
result::NvmeIdentify describe(nvme::Controller& controller, std::string name);

}  // namespace fathom::session::controllers
