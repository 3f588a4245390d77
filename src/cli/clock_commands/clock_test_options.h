// The options of `fathom clock test`.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "clock/cores/cross_core.h"
#include "options/command_line.h"
#include "session/clocks/clock_test.h"

namespace fathom::cli::clock_commands {

// Without --cpus, all usable CPUs are tested. The default of entries is lower if memory does not suffice for all
// CPUs. --barrier=all selects every barrier of this machine.
struct ClockTestOptions : session::clocks::AskedClockTest {
  std::vector<unsigned> usable;  // CPUs allowed in --cpus
  bool help = false;
  std::vector<std::string> formats;  // of --output-format or --json
  std::string output, report;        // files of --output, and of the HTML report besides it
  bool force = false;                // replace a file that fathom did not write
};

base::Expected<ClockTestOptions> parse_clock_test(std::span<const std::string> args,
                                                  const std::vector<unsigned>& usable);
const options::Manual& clock_test_manual();

}  // namespace fathom::cli::clock_commands
