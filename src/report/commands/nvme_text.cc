// The text of `fathom nvme list`, `id-ctrl`, `id-ns` and the logs.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text/unit_text.h"
#include "report/formats.h"

namespace fathom::report {

// `fathom nvme identify` and `fathom nvme log` in nvme-cli's layout.

namespace {

std::string fields_text(const result::NvmeFields& fields) {
  std::size_t width = 9;
  for (const auto& field : fields) width = std::max(width, field.name.size());
  std::string out;
  for (const auto& field : fields) out += fmt::format("{:<{}} : {}\n", field.name, width, field.text);
  return out;
}

}  // namespace

// Namespaces in the order of their numbers, usable or not.
std::string nvme_identify_text(const result::NvmeIdentify& id) {
  std::multimap<std::uint32_t, std::string> lines;
  for (const auto& ns : id.namespaces.value_or(std::vector<result::NvmeNamespace>()))
    lines.emplace(ns.nsid, fmt::format("{} blocks of {} bytes, {}", ns.size_bytes / std::max(ns.block_bytes, 1u),
                                       ns.block_bytes, base::text::gib_text(ns.size_bytes)));
  for (const auto& ns : id.unusable) lines.emplace(ns.nsid, ns.cause);
  std::string out = fields_text(id.fields);
  for (const auto& [nsid, line] : lines) out += fmt::format("namespace {} : {}\n", nsid, line);
  return out;
}

std::string nvme_log_text(const result::NvmeLog& page) {
  if (page.entries.empty()) return "no entries\n";
  std::string out;
  for (const auto& entry : page.entries) out += (out.empty() || entry.size() == 1 ? "" : "\n") + fields_text(entry);
  return out;
}

// `fathom nvme list`: one line per controller, one per namespace, and the next command to run.

namespace {

constexpr std::string_view kReadyDriver = "vfio-pci";

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

}  // namespace

std::string nvme_list_text(const result::NvmeList& list) {
  if (list.controllers.empty())
    return "no NVMe controller found; try --device soft, the emulated controller:\n"
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
                         base::text::gib_text(ns.size_bytes), ns.block_bytes, ns.use);
    if (c.driver == kReadyDriver) out += fmt::format("  ready: fathom nvme perf --device={}\n", c.address);
  }
  return out;
}

}  // namespace fathom::report
