// How the machine was set, in the element `fathom`: without it a run under a limit would read back as one without.
#include <fmt/format.h>

#include "report/paging_xml.h"

namespace fathom::report {
namespace {

void write_swap(pugi::xml_node swaps, const result::PagingSwap& swap) {
  auto node = swaps.append_child("swap");
  const std::pair<const char*, std::string> fields[] = {{"kind", swap.kind},
                                                        {"name", swap.name},
                                                        {"path", swap.path},
                                                        {"disk", swap.disk},
                                                        {"size_bytes", fmt::format("{}", swap.size_bytes)},
                                                        {"used_bytes", fmt::format("{}", swap.used_bytes)},
                                                        {"compressor", swap.compressor},
                                                        {"stored_bytes", fmt::format("{}", swap.stored_bytes)},
                                                        {"compressed_bytes", fmt::format("{}", swap.compressed_bytes)}};
  for (const auto& [key, value] : fields) add_element(node, key, value);
}

}  // namespace

void xml_pressure(pugi::xml_node fathom, const result::PagingPressure& pressure) {
  if (!pressure.known) return;
  auto node = fathom.append_child("pressure");
  add_element(node, "limit_bytes", fmt::format("{}", pressure.limit_bytes));
  add_element(node, "controller", pressure.controller);
  auto swaps = node.append_child("swaps");
  for (const auto& swap : pressure.swaps) write_swap(swaps, swap);
  auto settings = node.append_child("settings");
  for (const auto& [key, value] : pressure.settings)
    add_attribute(add_element(settings, "setting", value), "name", key);
  for (const auto& name : pressure.changed) add_element(node, "changed", name);
  for (const auto& line : pressure.not_possible) add_element(node, "not_possible", line);
}

}  // namespace fathom::report
