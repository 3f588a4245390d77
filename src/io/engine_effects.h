// Effects of an engine's own options on the run, needed by few jobs. Set by rows or io::Settle.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/engine_options.h"

namespace fathom::io {

struct EngineEffects {
  using KeptIn = EngineOptions;
  bool ends_with_the_others = false;  // the job ends when only jobs with this flag are left
  std::uint64_t pause_ns = 0;         // after each I/O
  bool counts_bits = false;           // unit_base=0: its rates are shown in bits
  std::string announcement;           // printed at the start of the job; $jobname stands for its name
  std::vector<std::string> ignored;   // options without an effect, and the reason
};

}  // namespace fathom::io
