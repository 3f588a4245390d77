// What `fathom pmu stat` shows of each thing the user named: events of one mention summed, bytes and direction where a
// PCIe rule knows them, per cent of the window for a time a link spent in a state, mean and deviation over runs. Pure
// but for what EventSources has read.
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
  double unit_bytes = 0;  // of one increment; 0: not known
  pcie::Direction direction = pcie::Direction::to_memory;
  std::string sentence;
};

struct StatEvent {
  std::string name, unit;
  double scale = 1;
  std::vector<std::size_t> parts;  // of the events
  std::optional<BytesRule> bytes;
  unsigned saturating_bits = 0;       // of a small counter that stands still at its end; 0: it does not
  std::optional<std::size_t> window;  // the StatEvent that counts every cycle, for a state's residency
};

// A PMU that counts the time a link spends in a state says how long it looked with `one_cycle`: it is added where a
// residency is asked for and it is missing. What was added or cannot be, in a sentence each. one_by_one: each event
// counts in a run of its own.
std::vector<std::string> add_windows(std::vector<events::Event>& events, const events::EventSources& sources,
                                     bool one_by_one = false);

// One entry a mention, in the user's order. unit_bytes > 0 overrides every rule's. Widths of narrow counters go into
// the events.
std::vector<StatEvent> stat_events(std::vector<events::Event>& events, const events::EventSources& sources,
                                   double unit_bytes);

struct StatRow {
  events::EventCount count;
  double value = 0;  // count.scaled x scale
  double bytes = 0, mb_per_s = 0;
  std::optional<double> window_percent;
  bool saturated = false;        // a part stands at the end of its small counter: at least as many
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
