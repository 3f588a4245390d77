// `fathom nvme list`: a line a controller, a line a namespace, and what to do next.
#include <fmt/format.h>

#include "base/unit_text.h"
#include "report/formats.h"

namespace fathom::report {
namespace {

constexpr std::string_view kReadyDriver = "vfio-pci";

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

}  // namespace

std::string nvme_list_text(const result::NvmeList& list) {
  if (list.controllers.empty())
    return "no NVMe controller found; try --device soft, the controller in software:\n"
           "  fathom nvme perf --device=soft\n";
  std::string out;
  for (const auto& c : list.controllers) {
    out += fmt::format("{}  {:04x}:{:04x}  driver {}  IOMMU group {}  NUMA node {}\n", c.address, c.vendor, c.device,
                       or_none(c.driver), or_none(c.iommu_group),
                       c.numa_node < 0 ? "unknown" : std::to_string(c.numa_node));
    if (!c.model.empty())
      out += fmt::format("  {}  serial {}  firmware {}\n", c.model, or_none(c.serial), or_none(c.firmware));
    for (const auto& ns : c.namespaces)
      out += fmt::format("  namespace {}  /dev/{}  {} in blocks of {} bytes: {}\n", ns.nsid, ns.block_device,
                         base::gib_words(ns.size_bytes), ns.block_bytes, ns.use);
    if (c.driver == kReadyDriver) out += fmt::format("  ready: fathom nvme perf --device={}\n", c.address);
  }
  return out;
}

}  // namespace fathom::report
