// `fathom nvme list`: reads /sys and asks the guard; nothing is opened for writing and no device is touched.
#include "cli/nvme_list.h"

#include <fmt/format.h>

#include "base/unit_text.h"
#include "cli/manuals.h"
#include "cli/nvme_command.h"
#include "cli/nvme_use.h"
#include "cli/subcommand.h"
#include "options/rows.h"
#include "report/json_writer.h"

namespace fathom::cli {
namespace {

constexpr options::Row kRows[] = {options::noted({"json", "", "print JSON"})};
constexpr options::Group kOptions[] = {{"", kRows}};
constexpr Manual kManual{
    "fathom nvme list", "[--json]",
    "The NVMe controllers of this machine: PCI address, driver, IOMMU group and NUMA node, and while\n"
    "the kernel's driver has one its model, serial number, and namespaces with what each is used for.\n",
    kOptions};

std::vector<ListedController> look() {
  std::vector<ListedController> listed;
  const nvme::pci::Sysfs sysfs;
  for (auto& controller : nvme::pci::list_controllers(sysfs)) {
    ListedController one{std::move(controller), {}};
    for (const auto& ns : one.controller.namespaces) one.uses.push_back(use_text(host::device_use("/dev/" + ns.block)));
    listed.push_back(std::move(one));
  }
  return listed;
}

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

base::Expected<std::string> list(const Given& given) {
  if (!given.words.empty()) return usage_error("`" + given.words[0] + "`: list takes no name", "", "");
  const auto listed = look();
  return given.has("json") ? list_json(listed) : list_text(listed);
}

}  // namespace

std::string list_text(std::span<const ListedController> controllers) {
  if (controllers.empty())
    return "no NVMe controller found; try --device soft, the controller in software:\n"
           "  fathom nvme perf --device=soft\n";
  std::string out;
  for (const auto& [c, uses] : controllers) {
    out += fmt::format("{}  {:04x}:{:04x}  driver {}  IOMMU group {}  NUMA node {}\n", c.address, c.vendor, c.device,
                       or_none(c.driver), or_none(c.iommu_group),
                       c.numa_node < 0 ? "unknown" : std::to_string(c.numa_node));
    if (!c.model.empty())
      out += fmt::format("  {}  serial {}  firmware {}\n", c.model, or_none(c.serial), or_none(c.firmware));
    for (std::size_t i = 0; i < c.namespaces.size(); ++i) {
      const auto& ns = c.namespaces[i];
      out += fmt::format("  namespace {}  /dev/{}  {} in blocks of {} bytes: {}\n", ns.nsid, ns.block,
                         base::gib_words(ns.size_bytes), ns.block_bytes, uses[i]);
    }
    if (c.driver == nvme::pci::kVfioDriver) out += fmt::format("  ready: fathom nvme perf --device={}\n", c.address);
  }
  return out;
}

std::string list_json(std::span<const ListedController> controllers) {
  report::JsonWriter w;
  w.begin_object();
  w.begin_array("controllers");
  for (const auto& [c, uses] : controllers) {
    w.begin_object();
    w.field("address", c.address);
    w.field("vendor", c.vendor);
    w.field("device", c.device);
    w.field("driver", c.driver);
    w.field("driver_override", c.driver_override);
    w.field("iommu_group", c.iommu_group);
    w.field("numa_node", c.numa_node);
    w.field("kernel_name", c.kernel_name);
    w.field("model", c.model);
    w.field("serial", c.serial);
    w.field("firmware", c.firmware);
    w.begin_array("namespaces");
    for (std::size_t i = 0; i < c.namespaces.size(); ++i) {
      const auto& ns = c.namespaces[i];
      w.begin_object();
      w.field("nsid", ns.nsid);
      w.field("block_device", ns.block);
      w.field("character_device", ns.character);
      w.field("size_bytes", ns.size_bytes);
      w.field("block_bytes", ns.block_bytes);
      w.field("use", uses[i]);
      w.end_object();
    }
    w.end_array();
    w.end_object();
  }
  w.end_array();
  w.end_object();
  return w.take();
}

const Manual& nvme_list_manual() { return kManual; }

int nvme_list_command(std::span<const std::string> args) { return with_options(kManual, args, list); }

}  // namespace fathom::cli
