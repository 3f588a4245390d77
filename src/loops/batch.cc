// The loop over engine/batch.h, for every engine with a queue and without a separate loop.
#include "loops/instantiate.h"
#include "loops/shared.h"

namespace fathom::loops {

base::Expected<void> batch_loop(engine::BatchEngine& engine, LoopContext& context) {
  engine::Batch batch(engine);
  return drive_queue(batch, context);
}

}  // namespace fathom::loops
