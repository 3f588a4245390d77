// The parts of `fathom pmu stat`'s reports that are printed as it counts, and CSV with another separator. Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "report/formats.h"

namespace fathom::report {

// An interval of -I; every 25th has a line of names above it in the text.
std::string pmu_interval_text(const result::PmuIntervalRows& interval, std::size_t number);
std::string pmu_interval_csv(const result::PmuIntervalRows& interval, std::string_view separator);
std::string pmu_interval_json(const result::PmuIntervalRows& interval);  // one line

// What stands behind the intervals.
std::string pmu_stat_notes_text(const result::PmuStat& stat);  // rules and notes, as they end every text
std::string pmu_stat_json_line(const result::PmuStat& stat);

// perf's JSON, a line an event; what follows perf's keys is of fathom.
std::string pmu_interval_perf_json(const result::PmuIntervalRows& interval);
std::string pmu_stat_perf_json(const result::PmuStat& stat);

struct CsvColumns {
  bool several_runs = false, intervals = false, slots = false;
  std::optional<result::PmuPlaceKind> place;  // the rows are of CPUs shown apart
};

// Fields in perf's order (time, place, number of its CPUs, count, unit, event, deviation, run time, per cent, metric, its unit), then bytes,
// direction, with slots the interval, and the state.
std::string pmu_stat_csv(const result::PmuStat& stat, std::string_view separator);
std::string pmu_stat_csv_header(const CsvColumns& columns, std::string_view separator);
// A comment line a note, as no field has room for it.
std::string pmu_stat_csv_notes(const result::PmuStat& stat);

}  // namespace fathom::report
