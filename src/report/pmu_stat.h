// The parts of `fathom pmu stat`'s reports that are printed while it counts, and CSV with another separator. Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "report/formats.h"

namespace fathom::report {

// An interval of -I; in the text, every 25th interval has a line of names above it.
std::string pmu_interval_text(const result::PmuIntervalRows& interval, std::size_t number);
std::string pmu_interval_csv(const result::PmuIntervalRows& interval, std::string_view separator);
std::string pmu_interval_json(const result::PmuIntervalRows& interval);  // one line

// The part after the intervals.
std::string pmu_stat_notes_text(const result::PmuStat& stat);  // rules and notes, as at the end of every text
std::string pmu_stat_json_line(const result::PmuStat& stat);

// perf's JSON, one line per event; the keys after perf's keys are fathom's.
std::string pmu_interval_perf_json(const result::PmuIntervalRows& interval);
std::string pmu_stat_perf_json(const result::PmuStat& stat);

struct CsvColumns {
  bool several_runs = false, intervals = false, slots = false;
  std::optional<result::PmuPlaceKind> place;  // the rows show these CPUs separately
};

// Fields in perf's order (time, place, number of its CPUs, count, unit, event, deviation, run time, percent, metric,
// its unit), then bytes, direction, with slots the interval, and the state.
std::string pmu_stat_csv(const result::PmuStat& stat, std::string_view separator);
std::string pmu_stat_csv_header(const CsvColumns& columns, std::string_view separator);
// One comment line per note, because no field has room for it.
std::string pmu_stat_csv_notes(const result::PmuStat& stat);

}  // namespace fathom::report
