// The loop over engine/batch.h, for every engine with a queue and without a separate loop.
#include "loops/instantiate.h"
#include "loops/shared.h"

namespace fathom::loops {

base::Expected<void> batch_loop(engine::BatchEngine& engine, LoopContext& context) {
  engine::Batch batch(engine);
  if (context.sync_by_engine != nullptr) *context.sync_by_engine = [&engine] { return engine.sync_targets(); };
  auto ran = drive_queue(batch, context);
  if (context.sync_by_engine != nullptr) *context.sync_by_engine = nullptr;
  return ran;
}

}  // namespace fathom::loops
