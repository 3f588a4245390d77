// What an engine's own options say that the run has to know too, and few jobs have: set by io::Settle.
#pragma once
#include <cstdint>
#include <string>

#include "io/engine_options.h"

namespace fathom::io {

struct EngineEffects {
  using KeptIn = EngineOptions;
  bool ends_with_the_others = false;  // the job ends when only such jobs are left
  std::uint64_t pause_ns = 0;         // after each I/O
  bool counts_bits = false;           // unit_base=0: its rates are shown in bits
  std::string announcement;           // said when the job starts; $jobname stands for its name
};

}  // namespace fathom::io
