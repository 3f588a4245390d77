// The parts of parse_events (pmu/events/sources.h). Each receives the user's whole text and views into it, so that an
// error can show its column. Source: perf-list(1), perf-record(1) "--event".
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "pmu/events/event.h"
#include "pmu/events/sources.h"

namespace fathom::pmu::events {

// ErrorKind::usage at `part`, a view into `all`.
base::Error mistake(std::string_view all, std::string_view part, std::string what, std::string help);

// Binds a generic or raw event to one kind of core. The kernel reads the PMU's type above bit 32 of a generic event's
// config. `core` has a type. Source: perf_event_open(2), PERF_TYPE_HARDWARE.
void bind_to_kind(Event& event, const Source& core);

// pmu/terms/: `written` is the whole text, as it will be shown. A pattern or a name without its number ("uncore_iio")
// stands for every PMU it matches, `lane=*` for every lane: several events, one mention.
base::Expected<std::vector<Event>> pmu_events(std::string_view all, std::string_view written, std::string_view pmu,
                                              std::string_view terms, const EventSources& sources);

// system:name, both may be patterns; ids come from tracefs below `prefix`. ErrorKind::privilege: tracefs is not
// visible.
base::Expected<std::vector<Event>> tracepoints(std::string_view all, std::string_view system, std::string_view name,
                                               const std::string& prefix);

// The number of the port's lanes, from its PMU's name (pcie_bdf_*, dwc_rootport_*) and sysfs; unknown: the PCIe
// maximum.
unsigned lanes_of(std::string_view pmu, const std::string& prefix);

}  // namespace fathom::pmu::events
