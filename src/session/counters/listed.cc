// Value by value. PCI classes, rules and the bits of terms are converted to text here.
#include "session/counters/listed.h"

#include "pmu/events/format.h"

namespace fathom::session::counters {
namespace {

result::PmuDirection direction_of(pmu::pcie::Direction direction) {
  return direction == pmu::pcie::Direction::to_memory ? result::PmuDirection::read : result::PmuDirection::write;
}

result::PcieCountersFrom counters_from(pmu::pcie::PcieRule::CountersFrom from) {
  switch (from) {
    case pmu::pcie::PcieRule::CountersFrom::cpuid:
      return result::PcieCountersFrom::cpuid;
    case pmu::pcie::PcieRule::CountersFrom::assumed:
      return result::PcieCountersFrom::assumed;
    case pmu::pcie::PcieRule::CountersFrom::table:
      break;
  }
  return result::PcieCountersFrom::table;
}

result::ListedFunction function_of(const host::pci::PciFunction& f) {
  result::ListedFunction function;
  function.address = host::pci::to_string(f.address);
  function.class_words = host::pci::pci_class_text(f.class_code);
  function.driver = f.driver;
  function.class_code = f.class_code;
  function.vendor = f.vendor;
  function.device = f.device;
  function.block_devices = f.block_devices;
  return function;
}

}  // namespace

result::PmuSource listed(const pmu::events::Source& source) {
  result::PmuSource out{source.name, source.type, source.cpumask, {}, {}};
  for (const auto& [term, format] : source.formats) out.terms.emplace_back(term, pmu::events::text_of(format));
  for (const auto& event : source.events) out.events.push_back({event.name, event.terms, event.unit, event.scale});
  return out;
}

result::PcieRule listed(const pmu::pcie::PcieRule& rule) {
  result::PcieRule out;
  out.event = rule.event;
  out.direction = direction_of(rule.direction);
  out.unit_bytes = rule.unit_bytes;
  out.scope = rule.scope;
  out.terms = rule.terms;
  out.cpus = rule.cpus;
  out.counters = rule.counters;
  out.counters_from = counters_from(rule.counters_from);
  out.width_bits = rule.width_bits;
  out.verified = rule.verified;
  out.sentence = rule.sentence();
  out.counters_words = rule.counters_text();
  out.remark = rule.remark;
  return out;
}

result::PciePmu listed(const pmu::pcie::PciePmu& one) {
  result::PciePmu out{one.pmu, one.port, one.scope, {}};
  for (const auto& rule : one.rules) out.rules.push_back(listed(rule));
  return out;
}

result::ListedPort listed(const host::pci::RootPort& port) {
  result::ListedPort out;
  out.address = host::pci::to_string(port.address);
  out.six_digits = host::pci::six_digits(port.address);
  out.integrated = port.integrated;
  out.speed_gts = port.link.speed_gts;
  out.max_speed_gts = port.link.max_speed_gts;
  out.lanes = port.link.width;
  out.max_lanes = port.link.max_width;
  out.numa_node = port.numa_node;
  for (const auto& function : port.behind) out.behind.push_back(function_of(function));
  return out;
}

result::DwcGroup listed(const pmu::pcie::DwcGroup& group) {
  return {group.time_based,    group.group,    group.title,       group.what,
          group.contradiction, group.per_lane, group.counter_bits};
}

result::DwcEvent listed(const pmu::pcie::DwcEvent& event) {
  result::DwcEvent out;
  out.of = static_cast<std::size_t>(&pmu::pcie::group_of(event) - pmu::pcie::dwc_groups().data());
  out.number = event.number;
  out.name = event.name;
  out.note = event.note;
  out.what = event.what;
  out.counter = event.counter;
  out.contradiction = event.contradiction;
  out.unit_bytes = event.unit_bytes;
  out.eventid = event.eventid;
  out.type = event.type;
  return out;
}

result::DevicePath listed(const host::pci::PortPath& path) {
  return {path.target, path.cause, path.disks, path.functions, path.ports, path.steps};
}

}  // namespace fathom::session::counters
