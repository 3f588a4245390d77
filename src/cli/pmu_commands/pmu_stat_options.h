// The command line of `fathom pmu stat`: perf stat's options, fathom's own, and then the command.
#pragma once
#include <span>
#include <string>

#include "base/error.h"
#include "session/counters/stat.h"

namespace fathom::cli::pmu_commands {

enum class StatFormat { text, csv, json, perf_json, html };

struct StatOptions {
  session::counters::StatPlan plan;  // its events: every -e, joined by commas
  bool append = false, force = false, help = false;
  StatFormat format = StatFormat::text;
  std::string separator = ",";
  bool header = false;  // a line with column names above the CSV
  std::string output;   // empty: standard error; "-": standard output
  std::string report;   // file for the HTML report; empty: none
};

// ErrorKind::usage: unknown options (with the nearest), values out of range, no event to count.
base::Expected<StatOptions> read_stat_options(std::span<const std::string> args);

}  // namespace fathom::cli::pmu_commands
