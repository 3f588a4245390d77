// Single events: one line each, or an explanation. Events of the DesignWare table follow the heading of their group,
// which states what its counters count.
#include <fmt/format.h>

#include "report/counters/pmu_list.h"

namespace fathom::report::counters {
namespace {

std::string unit_names(const result::ListedEvent& event, const std::vector<result::DwcGroup>& groups) {
  if (event.rule) return event.rule->sentence;
  if (event.dwc && event.dwc->unit_bytes > 0) {
    return fmt::format("units of {:g} bytes in the counter (dwc_rootport_* reports bytes)", event.dwc->unit_bytes);
  }
  if (event.dwc && groups[event.dwc->of].time_based) return "clock cycles";
  if (event.unit.empty()) return "";
  return event.scale == 1 ? event.unit : fmt::format("raw x {:g} {}", event.scale, event.unit);
}

std::string line(const result::ListedEvent& event, const std::vector<result::DwcGroup>& groups) {
  std::string out = fmt::format("  {:<48} {}", event.name, event.terms);
  if (const std::string unit = unit_names(event, groups); !unit.empty()) out += fmt::format("  [{}]", unit);
  if (!event.here) out += fmt::format("  {}", event.dwc->what);
  return out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
}

std::string group_heading(const result::DwcGroup& group) {
  std::string out =
      fmt::format("\n{} group {}: {}\n", group.time_based ? "Time based," : "Event counter,", group.group, group.title);
  out += fmt::format("  counts {}\n", group.what);
  out += fmt::format("  counter of {} bits, without an overflow interrupt\n", group.counter_bits);
  if (!group.time_based) {
    out += group.per_lane ? "  per lane: lane=N for one, lane=* for every lane of the port, summed under one name\n"
                          : "  common to all lanes; if sysfs requires lane=?, use lane=0: lane=* would count an event "
                            "once per lane\n";
  }
  if (!group.contradiction.empty()) out += fmt::format("  contradiction: {}\n", group.contradiction);
  return out;
}

std::string explained(const result::ListedEvent& event) {
  const result::DwcEvent& dwc = *event.dwc;
  std::string out = fmt::format("  {}\n", event.name);
  out += fmt::format("    {:#04x} {}: {}\n", dwc.number, dwc.name, dwc.what);
  out += fmt::format("    {}; {}\n", event.terms, dwc.counter);
  if (event.rule) out += fmt::format("    {}: {}\n", event.rule->sentence, event.rule->remark);
  if (!dwc.note.empty()) out += fmt::format("    note: {}\n", dwc.note);
  if (!dwc.contradiction.empty()) out += fmt::format("    contradiction: {}\n", dwc.contradiction);
  return out;
}

std::string rules_text(const std::vector<result::PcieRule>& rules) {
  std::string out = "\nRules of the PCIe table\n";
  for (const auto& rule : rules) {
    out += fmt::format("  {}; of a {}; {}{}\n    {}\n", rule.sentence, rule.scope, rule.counters_words,
                       rule.cpus.empty() ? "" : "; on " + rule.cpus, rule.remark);
  }
  return out;
}

// One pass per group, in the order of the table.
std::string all_explained(const result::PmuMatches& matches) {
  std::string out;
  for (std::size_t i = 0; i < matches.groups.size(); ++i) {
    std::string inside;
    for (const auto& event : matches.events) {
      if (event.dwc && event.dwc->of == i) inside += explained(event);
    }
    if (!inside.empty()) out += group_heading(matches.groups[i]) + inside;
  }
  return out;
}

}  // namespace

std::string events_text(const result::PmuMatches& matches, bool explain) {
  std::string out;
  bool only_data = false;
  for (const auto& event : matches.events) {
    only_data |= !event.here;
    if (!event.dwc || !explain) out += line(event, matches.groups);
  }
  if (explain) out += all_explained(matches);
  if (only_data) out += "\ndwc_pcie/.../: known from the data files; no PMU of this machine has these events\n";
  if (!matches.rules.empty() && (explain || matches.events.empty())) out += rules_text(matches.rules);
  return out;
}

}  // namespace fathom::report::counters
