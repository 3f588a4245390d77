// Reads what `fathom pmu list` shows, and finds what a pattern means in it. A pattern without wildcards is a part of a
// name; the events of the data files come after those of this machine, and only where no PMU here has them.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "base/nearest.h"
#include "cli/pmu_commands/pmu_list.h"
#include "cli/subcommand.h"
#include "host/proc/text_file.h"
#include "pmu/events/event_names.h"
#include "pmu/events/tracefs.h"

namespace fathom::cli::pmu_commands {
namespace {

constexpr std::string_view kDataPmu = "dwc_pcie";  // how the data file's events are named where no PMU here has them

class Pattern {
 public:
  explicit Pattern(const std::string& text) : text_(text), wild_(text.find_first_of("*?[") != std::string::npos) {}
  bool holds(const std::string& name) const {
    return wild_ ? ::fnmatch(text_.c_str(), name.c_str(), 0) == 0 : name.find(text_) != std::string::npos;
  }
  // An event of a PMU by its PMU's name, its own, or both.
  bool holds(const std::string& pmu, const std::string& event) const {
    return holds(pmu) || holds(event) || holds(pmu + "/" + event) || holds(pmu + "/" + event + "/");
  }

 private:
  const std::string& text_;
  bool wild_;
};

std::vector<ListedSystem> tracepoints(const std::string& root, std::string& why_none) {
  std::vector<ListedSystem> systems;
  const auto folder = pmu::events::tracefs_root(root);
  if (!folder) {
    why_none = folder.error().cause + "; " + folder.error().help;
    return systems;
  }
  for (const auto& name : host::proc::list_names(*folder + "/events")) {
    ListedSystem system{name, {}};
    for (const auto& event : host::proc::list_names(*folder + "/events/" + name)) {
      if (event != "enable" && event != "filter") system.events.push_back(event);
    }
    if (!system.events.empty() && name != "ftrace") systems.push_back(std::move(system));
  }
  return systems;
}

const pmu::pcie::PcieRule* rule_of(const PmuListing& listing, const std::string& pmu, const std::string& event) {
  for (const auto& one : listing.pcie) {
    if (one.pmu != pmu) continue;
    for (const auto& rule : one.rules) {
      if (rule.event == event) return &rule;
    }
  }
  return nullptr;
}

ListedEvent source_event(const PmuListing& listing, const pmu::events::Source& source,
                         const pmu::events::NamedEvent& event) {
  ListedEvent listed;
  listed.name = source.name + "/" + event.name + "/";
  listed.pmu = source.name;
  listed.terms = event.terms;
  listed.unit = event.unit;
  listed.scale = event.scale;
  if (pmu::pcie::is_dwc_pmu(source.name)) listed.dwc = pmu::pcie::dwc_event_of(event);
  if (const auto* rule = rule_of(listing, source.name, event.name)) listed.rule = *rule;
  return listed;
}

ListedEvent data_event(const pmu::pcie::DwcEvent& event) {
  ListedEvent listed;
  const std::string terms =
      fmt::format("eventid={:#x},type={:#x}{}", event.eventid, event.type, event.time_based ? "" : ",lane=?");
  listed.name = fmt::format("{}/{}/", kDataPmu, event.alias.empty() ? terms : event.alias);
  listed.pmu = kDataPmu;
  listed.terms = terms;
  listed.here = false;
  listed.dwc = &event;
  return listed;
}

void add_kernel_events(const PmuListing& listing, const Pattern& pattern, std::vector<ListedEvent>& found) {
  for (const auto& name : listing.software) {
    if (!pattern.holds("software", name)) continue;
    found.push_back({});
    found.back().name = name;
    found.back().pmu = "software";
  }
  for (const auto& system : listing.systems) {
    for (const auto& event : system.events) {
      if (!pattern.holds(system.name + ":" + event)) continue;
      found.push_back({});
      found.back().name = system.name + ":" + event;
      found.back().pmu = "tracepoint";
    }
  }
}

}  // namespace

PmuListing look_at_pmus(const std::string& root) {
  PmuListing listing;
  const pmu::events::EventSources sources(root);
  listing.sources = sources.all();
  listing.pcie = pmu::pcie::pcie_pmus(sources);
  for (auto& port : host::pci::root_ports(root)) {
    auto counter = pmu::pcie::pcie_pmu_of(port.address, sources);
    listing.ports.push_back({std::move(port), std::move(counter)});
  }
  for (const auto& name : pmu::events::generic_names()) {
    if (const auto event = pmu::events::generic_event(name); event && event->pmu == "software")
      listing.software.push_back(name);
  }
  listing.systems = tracepoints(root, listing.no_tracepoints);
  return listing;
}

std::vector<ListedEvent> matching_events(const PmuListing& listing, const std::string& text) {
  const Pattern pattern(text);
  std::vector<ListedEvent> found;
  std::set<const pmu::pcie::DwcEvent*> shown;
  for (const auto& source : listing.sources) {
    for (const auto& event : source.events) {
      if (!pattern.holds(source.name, event.name)) continue;
      found.push_back(source_event(listing, source, event));
      shown.insert(found.back().dwc);
    }
  }
  add_kernel_events(listing, pattern, found);
  for (const auto& event : pmu::pcie::dwc_events()) {
    const bool asked = pattern.holds(std::string(kDataPmu), event.alias) || pattern.holds(event.name);
    if (asked && !event.what.empty() && shown.count(&event) == 0) found.push_back(data_event(event));
  }
  return found;
}

std::vector<pmu::events::Source> matching_sources(const PmuListing& listing, const std::string& text,
                                                  bool with_events) {
  const Pattern pattern(text);
  std::vector<pmu::events::Source> found;
  for (const auto& source : listing.sources) {
    const auto meant = [&](const pmu::events::NamedEvent& event) { return pattern.holds(source.name, event.name); };
    if (pattern.holds(source.name) || (with_events && std::any_of(source.events.begin(), source.events.end(), meant)))
      found.push_back(source);
  }
  return found;
}

std::vector<pmu::pcie::PcieRule> matching_rules(const std::string& text) {
  const Pattern pattern(text);
  std::vector<pmu::pcie::PcieRule> found;
  for (const auto& rule : pmu::pcie::pcie_rules()) {
    if (pattern.holds(rule.pmu, rule.event)) found.push_back(rule);
  }
  return found;
}

base::Error no_match(const PmuListing& listing, const std::string& pattern) {
  std::vector<std::string> known = listing.software;
  for (const auto& source : listing.sources) {
    known.push_back(source.name);
    for (const auto& event : source.events) known.push_back(source.name + "/" + event.name + "/");
    for (const auto& event : source.events) known.push_back(event.name);
  }
  for (const auto& system : listing.systems) {
    known.push_back(system.name + ":*");
    for (const auto& event : system.events) known.push_back(system.name + ":" + event);
  }
  for (const auto& event : pmu::pcie::dwc_events()) known.push_back(event.alias.empty() ? event.name : event.alias);
  std::string help = base::did_you_mean(pattern, known, "`fathom pmu list` shows what there is");
  const bool tracepoint = pattern.find(':') != std::string::npos && !listing.no_tracepoints.empty();
  return usage_error("no PMU, event or tracepoint matches `" + pattern + "`", tracepoint ? listing.no_tracepoints : "",
                     std::move(help));
}

}  // namespace fathom::cli::pmu_commands
