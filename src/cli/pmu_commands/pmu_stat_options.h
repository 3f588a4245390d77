// The command line of `fathom pmu stat`: perf stat's options, ours, and the command behind them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "options/command_line.h"
#include "pmu/slots/slot_runner.h"

namespace fathom::cli::pmu_commands {

enum class StatFormat { text, csv, json };

struct StatOptions {
  std::string events;  // every -e, joined by commas
  bool all_cpus = false, pinned = false, passes = false, append = false, help = false;
  unsigned runs = 1;
  std::uint64_t interval_ms = 0;  // 0: none
  std::optional<pmu::slots::SlotRunnerOptions> slots;
  StatFormat format = StatFormat::text;
  std::string separator = ",";
  bool header = false;    // a line of names above the CSV
  double unit_bytes = 0;  // 0: the rules'
  std::string output;     // empty: standard error; "-": standard output
  std::vector<std::string> command;
};

// ErrorKind::usage: unknown options (with the nearest), values out of range, no event, neither command nor -a.
base::Expected<StatOptions> read_stat_options(std::span<const std::string> args);

}  // namespace fathom::cli::pmu_commands
