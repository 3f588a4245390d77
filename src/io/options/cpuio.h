// Options of ioengine=cpuio: the share of a CPU's time to spend, and the work that spends it.
#pragma once
#include <algorithm>

#include <fmt/format.h>

#include "io/engine_effects.h"
#include "io/option_table.h"

namespace fathom::io {

enum class CpuMode : std::uint8_t { noop, qsort };

struct CpuioOptions : OfEngine {
  unsigned load_percent = 0;
  std::uint64_t chunk_us = 50'000;
  CpuMode mode = CpuMode::noop;
};

// The pause after each chunk of work, so that work takes load_percent of the time; 0 at 100 %.
constexpr std::uint64_t cpu_pause_ns(std::uint64_t chunk_ns, unsigned load_percent) {
  return chunk_ns * (100 - load_percent) / load_percent;
}

inline Outcome settle_cpuio(EngineOptions& options, const Mode&) {
  CpuioOptions& own = options.own.get<CpuioOptions>();
  if (own.load_percent == 0)
    return Problem{"cpu thread needs rate (cpuload=)", "", "write for example `cpuload=50`", {}};
  own.load_percent = std::min(own.load_percent, 100u);
  const bool noop = own.mode == CpuMode::noop;
  if (noop) options.own.get<EngineEffects>().pause_ns = cpu_pause_ns(own.chunk_us * 1000, own.load_percent);
  options.own.get<EngineEffects>().announcement = fmt::format("$jobname ({}): ioengine=cpuio, cpuload={}, cpucycle={}",
                                                              noop ? "noop" : "qsort", own.load_percent, own.chunk_us);
  return {};
}

inline constexpr Choice kCpuModes[] = {{"noop", static_cast<int>(CpuMode::noop), "a loop that does nothing"},
                                       {"qsort", static_cast<int>(CpuMode::qsort), "sort four arrays of integers"}};

inline constexpr Row kCpuioRows[] = {
    count<&CpuioOptions::load_percent>({"cpuload", "", "Percentage of a CPU's time to spend; more than 100 is 100"}, 0,
                                       ~std::uint32_t{0}),
    count<&CpuioOptions::chunk_us>({"cpuchunks", "50000", "Microseconds of work at a time"}, 1, 3'600'000'000),
    choice<&CpuioOptions::mode>({"cpumode", "noop", "Work that uses the time"}, kCpuModes),
    boolean<&EngineEffects::ends_with_the_others>({"exit_on_io_done", "0", "End when the jobs that do I/O have ended"}),
};
inline constexpr OptionTable kCpuioOptions{"cpuio", kCpuioRows, "Options of engines", settle_cpuio};

}  // namespace fathom::io
