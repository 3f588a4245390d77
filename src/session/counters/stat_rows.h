// Converts counts to the rows of the result that is reported and stored. Pure.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "pmu/events/places.h"
#include "pmu/stat_row.h"
#include "result/commands/pmu_stat.h"
#include "session/counters/stat_slots.h"

namespace fathom::session::counters {

// The counts: one element per named event in each vector.
struct StatFound {
  std::vector<pmu::StatEvent> events;
  std::vector<pmu::StatRow> rows;                // means over the runs
  std::vector<std::optional<double>> lost_at_s;  // empty: not yet known
  std::vector<SlotInterval> slots;               // with --slots, else empty
};

// rows: for the whole run, or for an interval.
std::vector<result::PmuRow> rows_of(const StatFound& found, std::span<const pmu::StatRow> rows);

std::optional<result::PmuPlaceKind> place_kind(pmu::events::Together together);

// Adds the CPUs of each row, if CPUs are shown separately. events: those that StatEvent::parts index.
void add_places(const StatFound& found, std::span<const pmu::events::Event> events, pmu::events::Together together,
                std::vector<result::PmuRow>& rows);

}  // namespace fathom::session::counters
