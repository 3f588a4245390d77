// One loop for all engines that are handed whole batches.
#pragma once
#include "engine/batch.h"
#include "run/context.h"

namespace fathom::loops {

base::Expected<void> batch_loop(engine::BatchEngine& engine, run::LoopContext& context);

template <class Engine>
base::Expected<void> batched(run::LoopContext& context) {
  engine::Batched<Engine> engine;
  return batch_loop(engine, context);
}

}  // namespace fathom::loops
