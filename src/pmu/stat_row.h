// The rows of `fathom pmu stat`, one per item that the user named: events of one mention summed, bytes and direction if
// a PCIe rule knows them, percent of the window for a time that a link spent in a state, mean and deviation over runs.
// Pure, except for what EventSources has read.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "pmu/events/event.h"
#include "pmu/events/sources.h"
#include "pmu/pcie/pcie.h"

namespace fathom::pmu {

struct BytesRule {
  double unit_bytes = 0;  // of one increment; 0: unknown
  pcie::Direction direction = pcie::Direction::to_memory;
  std::string sentence;
};

struct StatEvent {
  std::string name, unit;
  double scale = 1;
  std::vector<std::size_t> parts;  // indices of the events
  std::optional<BytesRule> bytes;
  // of a small counter that stops at its maximum; 0: it does not stop
  unsigned saturating_bits = 0;
  std::optional<std::size_t> window;  // the StatEvent that counts every cycle, for a state's residency
};

// Adds `one_cycle`, the count of all cycles, to a PMU that counts the time of a link in a state, if a residency is
// requested and it is missing. Returns one sentence for each addition that was made or is impossible. one_by_one: each
// event counts in a separate run.
std::vector<std::string> add_windows(std::vector<events::Event>& events, const events::EventSources& sources,
                                     bool one_by_one = false);

// One entry per mention, in the user's order. unit_bytes > 0 overrides every rule's. Widths of narrow counters are set
// in the events.
std::vector<StatEvent> stat_events(std::vector<events::Event>& events, const events::EventSources& sources,
                                   double unit_bytes);

struct StatRow {
  events::EventCount count;
  double value = 0;  // count.scaled x scale
  double bytes = 0, mb_per_s = 0;
  std::optional<double> window_percent;
  // a part reached the maximum of its small counter: the count is a minimum
  bool saturated = false;
  double deviation_percent = 0;  // of the mean of several runs
};

// The counts of the events, or of an interval. Rates divide by one window: the longest of any event.
std::vector<StatRow> stat_rows(std::span<const StatEvent> named, std::span<const events::EventCount> counts);

// Means of runs; an event counts as counted when it was in every run.
std::vector<StatRow> mean_rows(std::span<const std::vector<StatRow>> runs);

// Mean and its deviation (of the mean, in its unit) of any number of values.
struct Mean {
  double mean = 0, deviation = 0;
};
Mean mean_of(std::span<const double> values);

}  // namespace fathom::pmu
