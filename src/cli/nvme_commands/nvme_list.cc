// `fathom nvme list`: reads /sys and asks the guard. It opens nothing for writing, and accesses no device.
#include "cli/manuals.h"
#include "cli/nvme_commands/nvme_command.h"
#include "cli/subcommand.h"
#include "options/rows.h"
#include "report/formats.h"
#include "session/controllers/describe.h"

namespace fathom::cli::nvme_commands {
namespace {

constexpr options::Row kListRows[] = {options::noted({"json", "", "print JSON"})};
constexpr options::Group kListOptions[] = {{"", kListRows}};
constexpr Manual kListManual{
    "fathom nvme list", "[--json]",
    "Lists NVMe controllers: PCI address, driver, IOMMU group and NUMA node. For a controller of the kernel's driver\n"
    "also model, serial number, and namespaces with their uses.\n",
    kListOptions};

base::Expected<std::string> list(const Given& given) {
  if (!given.arguments.empty()) return usage_error("`" + given.arguments[0] + "`: list takes no arguments", "", "");
  const auto list = session::controllers::list_controllers();
  return given.has("json") ? report::nvme_list_json(list) : report::nvme_list_text(list);
}

}  // namespace

const Manual& nvme_list_manual() { return kListManual; }

int nvme_list_command(std::span<const std::string> args) { return with_options(kListManual, args, list); }

}  // namespace fathom::cli::nvme_commands
