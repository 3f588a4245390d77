// `fathom nvme list`: reads /sys and asks the guard; nothing is opened for writing and no device is touched.
#include "cli/manuals.h"
#include "cli/nvme_commands/nvme_command.h"
#include "cli/nvme_commands/nvme_use.h"
#include "cli/subcommand.h"
#include "nvme/pci/controllers.h"
#include "options/rows.h"
#include "report/formats.h"

namespace fathom::cli::nvme_commands {
namespace {

constexpr options::Row kRows[] = {options::noted({"json", "", "print JSON"})};
constexpr options::Group kOptions[] = {{"", kRows}};
constexpr Manual kManual{
    "fathom nvme list", "[--json]",
    "The NVMe controllers of this machine: PCI address, driver, IOMMU group and NUMA node, and while\n"
    "the kernel's driver has one its model, serial number, and namespaces with what each is used for.\n",
    kOptions};

result::NvmeListed listed(const nvme::pci::Controller& c) {
  result::NvmeListed one{c.address,   c.vendor,      c.device, c.driver, c.driver_override, c.iommu_group,
                         c.numa_node, c.kernel_name, c.model,  c.serial, c.firmware,        {}};
  for (const auto& ns : c.namespaces)
    one.namespaces.push_back({ns.nsid, ns.block, ns.character, ns.size_bytes, ns.block_bytes,
                              nvme_commands::use_text(host::guards::device_use("/dev/" + ns.block))});
  return one;
}

base::Expected<std::string> list(const Given& given) {
  if (!given.arguments.empty()) return usage_error("`" + given.arguments[0] + "`: list takes no name", "", "");
  result::NvmeList list;
  const nvme::pci::Sysfs sysfs;
  for (const auto& controller : nvme::pci::list_controllers(sysfs)) list.controllers.push_back(listed(controller));
  return given.has("json") ? report::nvme_list_json(list) : report::nvme_list_text(list);
}

}  // namespace

const Manual& nvme_list_manual() { return kManual; }

int nvme_list_command(std::span<const std::string> args) { return with_options(kManual, args, list); }

}  // namespace fathom::cli::nvme_commands
