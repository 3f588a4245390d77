// The event sources of this machine, /sys/bus/event_source/devices/*: type, format with split bit ranges, named events
// with scale and unit, cpumask or cpus. Reads sysfs at construction, and keeps it. `prefix` precedes /sys: a test can
// provide a recorded tree, with the processor's CPUID. Const members are thread-safe.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "clock/sources/frequency_leaf.h"
#include "pmu/events/event.h"

namespace fathom::pmu::events {

// format/<term>: the value's bits go to these ranges of one config word, lowest first.
struct Format {
  int word = 0;                             // 0 config, 1 config1, ... 4 config4
  std::vector<std::pair<int, int>> ranges;  // lo, hi, inclusive
  int bits() const;
};

struct NamedEvent {
  std::string name, terms;  // "Rx_PCIe_TLP_Data_Payload", "eventid=0x21,type=0x0"
  double scale = 1;
  std::string unit;
};

struct Source {
  std::string name;
  std::string alias;                  // a second name from the driver; empty: none
  std::optional<std::uint32_t> type;  // nullopt: no file with a type, so none of its events opens
  std::map<std::string, Format> formats;
  std::vector<NamedEvent> events;  // by name
  std::vector<int> cpumask;
  bool has_cpumask = false;
  bool core = false;  // a PMU of the processor's cores: its events count tasks, on the CPUs of its file `cpus`
  const NamedEvent* find(std::string_view event) const;
};

class EventSources {
 public:
  // cpuid: default: this machine's; for a recorded tree: none.
  explicit EventSources(std::string prefix = "", clock::sources::Cpuid cpuid = {});
  const std::vector<Source>& all() const { return sources_; }  // by name
  const Source* find(std::string_view name) const;
  std::vector<const Source*> kinds_of_core() const;  // of a hybrid processor; empty: all cores are alike
  const std::string& prefix() const { return prefix_; }
  const clock::sources::Cpuid& cpuid() const { return cpuid_; }  // empty: unknown

 private:
  std::string prefix_;
  clock::sources::Cpuid cpuid_;
  std::vector<Source> sources_;
};

// perf's syntax for events: pmu/terms/mods, software and generic hardware names, an event of any PMU by its bare name,
// system:tracepoint, rNNN, {a,b}. `lane=*` expands to one event per lane, to be summed under one name (Event::name is
// equal). On a hybrid processor a generic hardware name is one event of each core PMU. Errors have the nearest name and
// the column.
base::Expected<std::vector<Event>> parse_events(std::string_view text, const EventSources& sources);

}  // namespace fathom::pmu::events
