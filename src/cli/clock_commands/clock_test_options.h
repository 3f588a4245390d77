// What was asked of `fathom clock test`.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "clock/cores/barrier.h"
#include "clock/cores/cross_core.h"
#include "options/command_line.h"

namespace fathom::cli::clock_commands {

// --inject, times still in ns.
struct AskedInjection {
  unsigned cpu = 0;
  double offset_ns = 0, drift_ppm = 0;
};

struct ClockTestOptions {
  std::vector<unsigned> usable;  // what --cpus may name
  std::vector<unsigned> cpus;    // all of these, or those of --cpus
  std::uint32_t entries = 0;     // on each; the default is less where so many CPUs have no room for it
  std::vector<clock::cores::Barrier> barriers{
      clock::cores::kDefaultBarrier};  // --barrier=all: every one of this machine
  std::vector<AskedInjection> injections;
  bool json = false, help = false;
};

base::Expected<ClockTestOptions> parse_clock_test(std::span<const std::string> args,
                                                  const std::vector<unsigned>& usable);
const options::Manual& clock_test_manual();

}  // namespace fathom::cli::clock_commands
