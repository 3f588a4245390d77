// What was asked of `fathom clock test`.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "clock/cores/cross_core.h"
#include "options/command_line.h"
#include "session/clocks/clock_test.h"

namespace fathom::cli::clock_commands {

// Without --cpus all CPUs are tested that may be used. The default of entries is less where so many CPUs have no room for
// it; --barrier=all is every one of this machine.
struct ClockTestOptions : session::clocks::AskedClockTest {
  std::vector<unsigned> usable;  // what --cpus may name
  bool json = false, help = false;
  std::string report;  // the page
  bool force = false;  // it replaces a file that is not ours
};

base::Expected<ClockTestOptions> parse_clock_test(std::span<const std::string> args,
                                                  const std::vector<unsigned>& usable);
const options::Manual& clock_test_manual();

}  // namespace fathom::cli::clock_commands
