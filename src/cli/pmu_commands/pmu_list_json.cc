// The same as a document.
#include "cli/pmu_commands/pmu_list.h"
#include "pmu/events/format.h"
#include "report/parts/json_writer.h"

namespace fathom::cli::pmu_commands {
namespace {

using report::parts::JsonWriter;

void strings(JsonWriter& w, std::string_view key, const std::vector<std::string>& values) {
  w.begin_array(key);
  for (const auto& value : values) w.element(value);
  w.end_array();
}

void rule_fields(JsonWriter& w, const pmu::pcie::PcieRule& rule) {
  w.field("event", rule.event);
  w.field("direction", rule.direction == pmu::pcie::Direction::to_memory ? "to_memory" : "from_memory");
  w.field("unit_bytes", rule.unit_bytes);
  w.field("scope", rule.scope);
  w.field("terms", rule.terms);
  w.field("counters", rule.counters);
  w.field("counters_from", rule.counters_from == pmu::pcie::PcieRule::CountersFrom::cpuid     ? "cpuid"
                           : rule.counters_from == pmu::pcie::PcieRule::CountersFrom::assumed ? "assumed"
                                                                                              : "table");
  w.field("width_bits", rule.width_bits);
  w.field("verified", rule.verified);
  w.field("rule", rule.sentence());
  w.field("remark", rule.remark);
}

void pmus(JsonWriter& w, const std::vector<pmu::events::Source>& sources) {
  w.begin_array("pmus");
  for (const auto& source : sources) {
    w.begin_object();
    w.field("name", source.name);
    w.field("type", source.type);
    w.begin_array("cpus");
    for (const int cpu : source.cpumask) w.element(cpu);
    w.end_array();
    w.begin_object("terms");
    for (const auto& [term, format] : source.formats) w.field(term, pmu::events::text_of(format));
    w.end_object();
    w.begin_array("events");
    for (const auto& event : source.events) {
      w.begin_object();
      w.field("name", event.name);
      w.field("terms", event.terms);
      w.field("scale", event.scale);
      w.field("unit", event.unit);
      w.end_object();
    }
    w.end_array();
    w.end_object();
  }
  w.end_array();
}

void bandwidth(JsonWriter& w, const std::vector<pmu::pcie::PciePmu>& all) {
  w.begin_array("pcie_bandwidth");
  for (const auto& one : all) {
    w.begin_object();
    w.field("pmu", one.pmu);
    w.field("port", one.port);
    w.field("scope", one.scope);
    w.begin_array("rules");
    for (const auto& rule : one.rules) {
      w.begin_object();
      rule_fields(w, rule);
      w.end_object();
    }
    w.end_array();
    w.end_object();
  }
  w.end_array();
}

void function(JsonWriter& w, const host::pci::PciFunction& f) {
  w.begin_object();
  w.field("address", host::pci::to_string(f.address));
  w.field("class_code", f.class_code);
  w.field("class", host::pci::pci_class_text(f.class_code));
  w.field("vendor", f.vendor);
  w.field("device", f.device);
  w.field("driver", f.driver);
  strings(w, "block_devices", f.block_devices);
  w.end_object();
}

void ports(JsonWriter& w, const std::vector<ListedPort>& all) {
  w.begin_array("ports");
  for (const auto& listed : all) {
    const auto& port = listed.port;
    w.begin_object();
    w.field("address", host::pci::to_string(port.address));
    w.field("six_digits", host::pci::six_digits(port.address));
    w.field("integrated", port.integrated);
    w.field("pmu", listed.pmu ? listed.pmu->pmu : "");
    w.field("speed_gts", port.link.speed_gts);
    w.field("max_speed_gts", port.link.max_speed_gts);
    w.field("lanes", port.link.width);
    w.field("max_lanes", port.link.max_width);
    w.field("numa_node", port.numa_node);
    w.begin_array("behind");
    for (const auto& f : port.behind) function(w, f);
    w.end_array();
    w.end_object();
  }
  w.end_array();
}

void dwc(JsonWriter& w, const pmu::pcie::DwcEvent& event) {
  const pmu::pcie::DwcGroup& group = pmu::pcie::group_of(event);
  w.begin_object("explained");
  w.field("name", event.name);
  w.field("what", event.what);
  w.field("note", event.note);
  w.field("time_based", event.time_based);
  w.field("group", event.group);
  w.field("group_title", group.title);
  w.field("number", event.number);
  w.field("eventid", event.eventid);
  w.field("type", event.type);
  w.field("unit_bytes", event.unit_bytes);
  w.field("counter", event.counter);
  w.field("counter_bits", group.counter_bits);
  w.field("per_lane", group.per_lane);
  w.field("contradiction", event.contradiction.empty() ? group.contradiction : event.contradiction);
  w.end_object();
}

void events(JsonWriter& w, const std::vector<ListedEvent>& all) {
  w.begin_array("events");
  for (const auto& event : all) {
    w.begin_object();
    w.field("name", event.name);
    w.field("pmu", event.pmu);
    w.field("here", event.here);
    w.field("terms", event.terms);
    w.field("scale", event.scale);
    w.field("unit", event.unit);
    if (event.dwc != nullptr) dwc(w, *event.dwc);
    if (event.rule) {
      w.begin_object("pcie");
      rule_fields(w, *event.rule);
      w.end_object();
    }
    w.end_object();
  }
  w.end_array();
}

void device(JsonWriter& w, const host::pci::PortPath& path) {
  w.begin_object("device");
  w.field("target", path.target);
  strings(w, "disks", path.disks);
  strings(w, "functions", path.functions);
  strings(w, "ports", path.ports);
  w.field("ambiguous", path.ports.size() > 1);
  w.field("cause", path.cause);
  strings(w, "steps", path.steps);
  w.end_object();
}

void tracepoints(JsonWriter& w, const PmuListing& listing) {
  w.begin_object("tracepoints");
  w.field("cause", listing.no_tracepoints);
  w.begin_array("systems");
  for (const auto& system : listing.systems) {
    w.begin_object();
    w.field("name", system.name);
    w.field("events", system.events.size());
    w.end_object();
  }
  w.end_array();
  w.end_object();
}

}  // namespace

std::string pmu_list_json(const PmuListing& listing, const Matches* matches, const host::pci::PortPath* path) {
  JsonWriter w;
  w.begin_object();
  if (path != nullptr) device(w, *path);
  if (matches != nullptr) {
    pmus(w, matches->sources);
    events(w, matches->events);
  } else {
    if (path == nullptr) pmus(w, listing.sources);
    bandwidth(w, listing.pcie);
    ports(w, listing.ports);
    if (path == nullptr) {
      strings(w, "software_events", listing.software);
      tracepoints(w, listing);
    }
  }
  w.end_object();
  return w.take();
}

}  // namespace fathom::cli::pmu_commands
