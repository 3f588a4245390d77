// The same lists as a JSON document.
#include "report/counters/pmu_list.h"
#include "report/parts/json_writer.h"

namespace fathom::report::counters {
namespace {

using parts::JsonWriter;

void strings(JsonWriter& w, std::string_view key, const std::vector<std::string>& values) {
  w.begin_array(key);
  for (const auto& value : values) w.element(value);
  w.end_array();
}

void rule_fields(JsonWriter& w, const result::PcieRule& rule) {
  w.field("event", rule.event);
  w.field("direction", rule.direction == result::PmuDirection::read ? "to_memory" : "from_memory");
  w.field("unit_bytes", rule.unit_bytes);
  w.field("scope", rule.scope);
  w.field("terms", rule.terms);
  w.field("counters", rule.counters);
  w.field("counters_from", name(rule.counters_from));
  w.field("width_bits", rule.width_bits);
  w.field("verified", rule.verified);
  w.field("rule", rule.sentence);
  w.field("remark", rule.remark);
}

void pmus(JsonWriter& w, const std::vector<result::PmuSource>& sources) {
  w.begin_array("pmus");
  for (const auto& source : sources) {
    w.begin_object();
    w.field("name", source.name);
    if (source.type)
      w.field("type", *source.type);
    else
      w.null("type");
    w.begin_array("cpus");
    for (const int cpu : source.cpus) w.element(cpu);
    w.end_array();
    w.begin_object("terms");
    for (const auto& [term, bits] : source.terms) w.field(term, bits);
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

void bandwidth(JsonWriter& w, const std::vector<result::PciePmu>& all) {
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

void function(JsonWriter& w, const result::ListedFunction& f) {
  w.begin_object();
  w.field("address", f.address);
  w.field("class_code", f.class_code);
  w.field("class", f.class_words);
  w.field("vendor", f.vendor);
  w.field("device", f.device);
  w.field("driver", f.driver);
  strings(w, "block_devices", f.block_devices);
  w.end_object();
}

void ports(JsonWriter& w, const std::vector<result::ListedPort>& all) {
  w.begin_array("ports");
  for (const auto& port : all) {
    w.begin_object();
    w.field("address", port.address);
    w.field("six_digits", port.six_digits);
    w.field("integrated", port.integrated);
    w.field("pmu", port.pmu ? port.pmu->pmu : "");
    w.field("speed_gts", port.speed_gts);
    w.field("max_speed_gts", port.max_speed_gts);
    w.field("lanes", port.lanes);
    w.field("max_lanes", port.max_lanes);
    w.field("numa_node", port.numa_node);
    w.begin_array("behind");
    for (const auto& f : port.behind) function(w, f);
    w.end_array();
    w.end_object();
  }
  w.end_array();
}

void dwc(JsonWriter& w, const result::DwcEvent& event, const result::DwcGroup& group) {
  w.begin_object("explained");
  w.field("name", event.name);
  w.field("what", event.what);
  w.field("note", event.note);
  w.field("time_based", group.time_based);
  w.field("group", group.group);
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

void events(JsonWriter& w, const result::PmuMatches& matches) {
  w.begin_array("events");
  for (const auto& event : matches.events) {
    w.begin_object();
    w.field("name", event.name);
    w.field("pmu", event.pmu);
    w.field("here", event.here);
    w.field("terms", event.terms);
    w.field("scale", event.scale);
    w.field("unit", event.unit);
    if (event.dwc) dwc(w, *event.dwc, matches.groups[event.dwc->of]);
    if (event.rule) {
      w.begin_object("pcie");
      rule_fields(w, *event.rule);
      w.end_object();
    }
    w.end_object();
  }
  w.end_array();
}

void device(JsonWriter& w, const result::DevicePath& path) {
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

void tracepoints(JsonWriter& w, const result::PmuList& list) {
  w.begin_object("tracepoints");
  w.field("cause", list.no_tracepoints);
  w.begin_array("systems");
  for (const auto& system : list.systems) {
    w.begin_object();
    w.field("name", system.name);
    w.field("events", system.events.size());
    w.end_object();
  }
  w.end_array();
  w.end_object();
}

}  // namespace

std::string pmu_list_json(const result::PmuList& list) {
  JsonWriter w;
  w.begin_object();
  if (list.device) device(w, *list.device);
  if (list.of_pattern && list.matches) {
    pmus(w, list.matches->sources);
    events(w, *list.matches);
  } else {
    if (!list.device) pmus(w, list.sources);
    bandwidth(w, list.pcie);
    ports(w, list.ports);
    if (!list.device) {
      strings(w, "software_events", list.software);
      tracepoints(w, list);
    }
  }
  w.end_object();
  return w.take();
}

}  // namespace fathom::report::counters
