// What `fathom pmu stat` found, and its three forms. Pure: tests make it up.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/pmu_stat_slots.h"
#include "pmu/stat_row.h"

namespace fathom::cli {

struct StatInterval {
  double time_s = 0;  // since the start
  std::vector<pmu::StatRow> rows;
};

struct StatReport {
  std::string subject;       // the command, or empty: the whole machine
  bool system_wide = false;  // -a
  std::vector<pmu::StatEvent> events;
  std::vector<pmu::StatRow> rows;  // one an event: means of the runs
  unsigned runs = 1;
  std::vector<double> elapsed_s;                 // one a run
  double user_s = 0, system_s = 0;               // of the command, of one run
  std::optional<int> exit_status;                // of the command
  std::vector<std::optional<double>> lost_at_s;  // one an event
  std::vector<SlotInterval> slots;               // one an event with --slots, else none
  std::vector<std::string> notes;
};

std::string stat_text(const StatReport& report);
// Only the lines of an interval; `header` above them.
std::string stat_interval_text(const StatReport& report, const StatInterval& interval, bool header);
// Rules and notes, as they end every text.
std::string stat_notes_text(const StatReport& report);

std::string stat_csv_header(const StatReport& report, bool intervals, bool slots, std::string_view separator);
// Fields in perf's order (time, count, unit, event, deviation, run time, per cent, metric, its unit), then bytes,
// direction, with slots the interval, and the state. interval: nullptr for the whole run.
std::string stat_csv(const StatReport& report, const StatInterval* interval, std::string_view separator);

// A comment line a note, as no field has room for it.
std::string stat_csv_notes(const StatReport& report);

std::string stat_json(const StatReport& report);  // docs/schema.md, "pmu stat"
// An interval as one line, and any document on one line: what -I prints is a line an object.
std::string stat_json_line(const StatReport& report, const StatInterval& interval);
std::string one_line(const std::string& json);

// "1,234,567", "0.74" with two digits where `whole` is false.
std::string with_commas(double value, bool whole);

}  // namespace fathom::cli
