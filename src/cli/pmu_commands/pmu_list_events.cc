// Events one by one: a line each, or explained. Events of the DesignWare table stand under their group, whose heading
// says what all of it counts.
#include <fmt/format.h>

#include "cli/pmu_commands/pmu_list.h"

namespace fathom::cli::pmu_commands {
namespace {

std::string unit_names(const ListedEvent& event) {
  if (event.rule) return event.rule->sentence();
  if (event.dwc != nullptr && event.dwc->unit_bytes > 0) {
    return fmt::format("units of {:g} bytes in the counter (dwc_rootport_* hands out bytes)", event.dwc->unit_bytes);
  }
  if (event.dwc != nullptr && event.dwc->time_based) return "clock cycles";
  if (event.unit.empty()) return "";
  return event.scale == 1 ? event.unit : fmt::format("raw x {:g} {}", event.scale, event.unit);
}

std::string line(const ListedEvent& event) {
  std::string out = fmt::format("  {:<48} {}", event.name, event.terms);
  if (const std::string unit = unit_names(event); !unit.empty()) out += fmt::format("  [{}]", unit);
  if (!event.here) out += fmt::format("  {}", event.dwc->what);
  return out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
}

std::string group_heading(const pmu::pcie::DwcGroup& group) {
  std::string out =
      fmt::format("\n{} group {}: {}\n", group.time_based ? "Time based," : "Event counter,", group.group, group.title);
  out += fmt::format("  counts {}\n", group.what);
  out += fmt::format("  counter of {} bits, without an overflow interrupt\n", group.counter_bits);
  if (!group.time_based) {
    out += group.per_lane ? "  per lane: lane=N for one, lane=* for every lane of the port, summed under one name\n"
                          : "  common to all lanes; where sysfs asks for lane=?, lane=0 will do, and lane=* would "
                            "count it once a lane\n";
  }
  if (!group.contradiction.empty()) out += fmt::format("  contradiction: {}\n", group.contradiction);
  return out;
}

std::string explained(const ListedEvent& event) {
  const pmu::pcie::DwcEvent& dwc = *event.dwc;
  std::string out = fmt::format("  {}\n", event.name);
  out += fmt::format("    {:#04x} {}: {}\n", dwc.number, dwc.name, dwc.what);
  out += fmt::format("    {}; {}\n", event.terms, dwc.counter);
  if (event.rule) out += fmt::format("    {}: {}\n", event.rule->sentence(), event.rule->remark);
  if (!dwc.note.empty()) out += fmt::format("    note: {}\n", dwc.note);
  if (!dwc.contradiction.empty()) out += fmt::format("    contradiction: {}\n", dwc.contradiction);
  return out;
}

std::string rules_text(std::span<const pmu::pcie::PcieRule> rules) {
  std::string out = "\nRules of the PCIe table\n";
  for (const auto& rule : rules) {
    out += fmt::format("  {}; of a {}; {}{}\n    {}\n", rule.sentence(), rule.scope, rule.counters_text(),
                       rule.cpus.empty() ? "" : "; on " + rule.cpus, rule.remark);
  }
  return out;
}

// One pass a group, in the order of the table.
std::string all_explained(std::span<const ListedEvent> events) {
  std::string out;
  for (const auto& group : pmu::pcie::dwc_groups()) {
    std::string inside;
    for (const auto& event : events) {
      if (event.dwc != nullptr && &pmu::pcie::group_of(*event.dwc) == &group) inside += explained(event);
    }
    if (!inside.empty()) out += group_heading(group) + inside;
  }
  return out;
}

}  // namespace

std::string events_text(std::span<const ListedEvent> events, std::span<const pmu::pcie::PcieRule> rules, bool explain) {
  std::string out;
  bool only_data = false;
  for (const auto& event : events) {
    only_data |= !event.here;
    if (event.dwc == nullptr || !explain) out += line(event);
  }
  if (explain) out += all_explained(events);
  if (only_data) out += "\ndwc_pcie/.../: known from the data files; no PMU of this machine has these events\n";
  if (!rules.empty() && (explain || events.empty())) out += rules_text(rules);
  return out;
}

}  // namespace fathom::cli::pmu_commands
