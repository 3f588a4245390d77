// A job's engine, with what the audit knows of it.
#pragma once
#include "io/engines.h"
#include "result/result.h"

namespace fathom::audit {

inline void drive_by(const char* engine, result::Job& job) {
  job.engine = engine;
  job.traits = io::traits_of(engine);
}

}  // namespace fathom::audit
