// The loops that engines share: one for engines that take whole batches, one for engines with one call per I/O.
#pragma once
#include "engine/batch.h"
#include "engine/syscall_call.h"
#include "run/loop/context.h"

namespace fathom::loops {

base::Expected<void> batch_loop(engine::BatchEngine& engine, run::loop::LoopContext& context);
base::Expected<void> call_loop(const engine::Calls& calls, run::loop::LoopContext& context);

}  // namespace fathom::loops
