// Reads the machine once, and finds the matches of a pattern. A pattern without wildcards matches as a part of a name.
// Events of the data files follow those of this machine, and only if no PMU of this machine has them.
#include "session/counters/pmu_list.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/nearest.h"
#include "host/pci/pci_tree.h"
#include "host/proc/text_file.h"
#include "pmu/events/event_names.h"
#include "pmu/events/sources.h"
#include "pmu/events/tracefs.h"
#include "pmu/pcie/pcie.h"
#include "pmu/pcie/pcie_dwc.h"
#include "session/counters/listed.h"

namespace fathom::session::counters {
namespace {

constexpr std::string_view kDataPmu = "dwc_pcie";  // PMU name for events that only the data file has

class Pattern {
 public:
  explicit Pattern(const std::string& text) : text_(text), wild_(text.find_first_of("*?[") != std::string::npos) {}
  bool holds(const std::string& name) const {
    return wild_ ? ::fnmatch(text_.c_str(), name.c_str(), 0) == 0 : name.find(text_) != std::string::npos;
  }
  // Matches an event by its PMU's name, by its own name, or by both.
  bool holds(const std::string& pmu, const std::string& event) const {
    return holds(pmu) || holds(event) || holds(pmu + "/" + event) || holds(pmu + "/" + event + "/");
  }

 private:
  const std::string& text_;
  bool wild_;
};

std::vector<result::ListedSystem> tracepoints(const std::string& root, std::string& why_none) {
  std::vector<result::ListedSystem> systems;
  const auto folder = pmu::events::tracefs_root(root);
  if (!folder) {
    why_none = folder.error().cause + "; " + folder.error().help;
    return systems;
  }
  for (const auto& name : host::proc::list_names(*folder + "/events")) {
    result::ListedSystem system{name, {}};
    for (const auto& event : host::proc::list_names(*folder + "/events/" + name)) {
      if (event != "enable" && event != "filter") system.events.push_back(event);
    }
    if (!system.events.empty() && name != "ftrace") systems.push_back(std::move(system));
  }
  return systems;
}

const result::PcieRule* rule_of(const result::PmuList& list, const std::string& pmu, const std::string& event) {
  for (const auto& one : list.pcie) {
    if (one.pmu != pmu) continue;
    for (const auto& rule : one.rules) {
      if (rule.event == event) return &rule;
    }
  }
  return nullptr;
}

// nullptr: not in the table.
const pmu::pcie::DwcEvent* dwc_of(const result::PmuSource& source, const result::PmuSourceEvent& event) {
  if (!pmu::pcie::is_dwc_pmu(source.name)) return nullptr;
  return pmu::pcie::dwc_event_of({event.name, event.terms, event.scale, event.unit});
}

result::ListedEvent source_event(const result::PmuList& list, const result::PmuSource& source,
                                 const result::PmuSourceEvent& event) {
  result::ListedEvent found;
  found.name = source.name + "/" + event.name + "/";
  found.pmu = source.name;
  found.terms = event.terms;
  found.unit = event.unit;
  found.scale = event.scale;
  if (const auto* dwc = dwc_of(source, event)) found.dwc = listed(*dwc);
  if (const auto* rule = rule_of(list, source.name, event.name)) found.rule = *rule;
  return found;
}

result::ListedEvent data_event(const pmu::pcie::DwcEvent& event) {
  result::ListedEvent found;
  const std::string terms =
      fmt::format("eventid={:#x},type={:#x}{}", event.eventid, event.type, event.time_based ? "" : ",lane=?");
  found.name = fmt::format("{}/{}/", kDataPmu, event.alias.empty() ? terms : event.alias);
  found.pmu = kDataPmu;
  found.terms = terms;
  found.here = false;
  found.dwc = listed(event);
  return found;
}

void add_kernel_events(const result::PmuList& list, const Pattern& pattern, std::vector<result::ListedEvent>& found) {
  for (const auto& name : list.software) {
    if (!pattern.holds("software", name)) continue;
    found.push_back({});
    found.back().name = name;
    found.back().pmu = "software";
  }
  for (const auto& system : list.systems) {
    for (const auto& event : system.events) {
      if (!pattern.holds(system.name + ":" + event)) continue;
      found.push_back({});
      found.back().name = system.name + ":" + event;
      found.back().pmu = "tracepoint";
    }
  }
}

result::PmuList look_at(const std::string& root) {
  result::PmuList list;
  const pmu::events::EventSources sources(root);
  for (const auto& source : sources.all()) list.sources.push_back(listed(source));
  for (const auto& one : pmu::pcie::pcie_pmus(sources)) list.pcie.push_back(listed(one));
  for (const auto& port : host::pci::root_ports(root)) {
    list.ports.push_back(listed(port));
    if (const auto counter = pmu::pcie::pcie_pmu_of(port.address, sources)) list.ports.back().pmu = listed(*counter);
  }
  for (const auto& name : pmu::events::generic_names()) {
    if (const auto event = pmu::events::generic_event(name); event && event->pmu == "software")
      list.software.push_back(name);
  }
  list.systems = tracepoints(root, list.no_tracepoints);
  return list;
}

// Includes events of the data files.
std::vector<result::ListedEvent> matching_events(const result::PmuList& list, const Pattern& pattern) {
  std::vector<result::ListedEvent> found;
  std::set<const pmu::pcie::DwcEvent*> shown;
  for (const auto& source : list.sources) {
    for (const auto& event : source.events) {
      if (!pattern.holds(source.name, event.name)) continue;
      found.push_back(source_event(list, source, event));
      shown.insert(dwc_of(source, event));
    }
  }
  add_kernel_events(list, pattern, found);
  for (const auto& event : pmu::pcie::dwc_events()) {
    const bool asked = pattern.holds(std::string(kDataPmu), event.alias) || pattern.holds(event.name);
    if (asked && !event.what.empty() && shown.count(&event) == 0) found.push_back(data_event(event));
  }
  return found;
}

// with_events: a PMU also matches by one of its events.
std::vector<result::PmuSource> matching_sources(const result::PmuList& list, const Pattern& pattern, bool with_events) {
  std::vector<result::PmuSource> found;
  for (const auto& source : list.sources) {
    const auto meant = [&](const result::PmuSourceEvent& event) { return pattern.holds(source.name, event.name); };
    if (pattern.holds(source.name) || (with_events && std::any_of(source.events.begin(), source.events.end(), meant)))
      found.push_back(source);
  }
  return found;
}

std::vector<result::PcieRule> matching_rules(const Pattern& pattern) {
  std::vector<result::PcieRule> found;
  for (const auto& rule : pmu::pcie::pcie_rules()) {
    if (pattern.holds(rule.pmu, rule.event)) found.push_back(listed(rule));
  }
  return found;
}

// A usage error with the nearest names.
base::Error no_match(const result::PmuList& list, const std::string& pattern) {
  std::vector<std::string> known = list.software;
  for (const auto& source : list.sources) {
    known.push_back(source.name);
    for (const auto& event : source.events) known.push_back(source.name + "/" + event.name + "/");
    for (const auto& event : source.events) known.push_back(event.name);
  }
  for (const auto& system : list.systems) {
    known.push_back(system.name + ":*");
    for (const auto& event : system.events) known.push_back(system.name + ":" + event);
  }
  for (const auto& event : pmu::pcie::dwc_events()) known.push_back(event.alias.empty() ? event.name : event.alias);
  base::Error error;
  error.what = "no PMU, event or tracepoint matches `" + pattern + "`";
  const bool tracepoint = pattern.find(':') != std::string::npos && !list.no_tracepoints.empty();
  if (tracepoint) error.cause = list.no_tracepoints;
  error.help = base::did_you_mean(pattern, known, "`fathom pmu list` lists the known ones");
  return error;
}

result::PmuMatches matches_of(const result::PmuList& list, const std::string& text, bool with_events) {
  const Pattern pattern(text);
  result::PmuMatches matches;
  matches.sources = matching_sources(list, pattern, with_events);
  matches.events = matching_events(list, pattern);
  matches.rules = matching_rules(pattern);
  for (const auto& group : pmu::pcie::dwc_groups()) matches.groups.push_back(listed(group));
  return matches;
}

// "sda4": the disk of that name, unless a file here has that name.
std::string path_of(const std::string& device, const std::string& root) {
  std::error_code ec;
  const bool bare = device.find('/') == std::string::npos && !std::filesystem::exists(device, ec);
  return bare && std::filesystem::exists(root + "/sys/class/block/" + device, ec) ? "/dev/" + device : device;
}

}  // namespace

base::Expected<result::PmuList> pmu_list(const ListPlan& plan) {
  result::PmuList list = look_at(plan.root);
  list.explain = plan.explain;
  if (plan.device) {
    list.device = listed(host::pci::port_of(path_of(*plan.device, plan.root), plan.root));
    return list;
  }
  list.of_pattern = plan.pattern.has_value();
  if (!list.of_pattern && !plan.explain) return list;
  list.matches = matches_of(list, plan.pattern.value_or("*/*"), plan.explain && list.of_pattern);
  if (list.of_pattern && list.matches->nothing()) return no_match(list, *plan.pattern);
  return list;
}

}  // namespace fathom::session::counters
