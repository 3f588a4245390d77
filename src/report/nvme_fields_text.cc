// `fathom nvme identify` and `fathom nvme log` in nvme-cli's layout.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/unit_text.h"
#include "report/formats.h"

namespace fathom::report {
namespace {

std::string fields_text(const result::NvmeFields& fields) {
  std::size_t width = 9;
  for (const auto& field : fields) width = std::max(width, field.name.size());
  std::string out;
  for (const auto& field : fields) out += fmt::format("{:<{}} : {}\n", field.name, width, field.text);
  return out;
}

}  // namespace

// Namespaces by their number, whether the driver can use them or not.
std::string nvme_identify_text(const result::NvmeIdentify& id) {
  std::multimap<std::uint32_t, std::string> lines;
  for (const auto& ns : id.namespaces.value_or(std::vector<result::NvmeNamespace>()))
    lines.emplace(ns.nsid, fmt::format("{} blocks of {} bytes, {}", ns.size_bytes / std::max(ns.block_bytes, 1u),
                                       ns.block_bytes, base::gib_words(ns.size_bytes)));
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

}  // namespace fathom::report
