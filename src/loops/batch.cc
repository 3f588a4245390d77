// The loop over engine/batch.h: of every engine with a queue that has none of its own.
#include "loops/instantiate.h"
#include "loops/shared.h"

namespace fathom::loops {

base::Expected<void> batch_loop(engine::BatchEngine& engine, LoopContext& context) {
  engine::Batch batch(engine);
  return drive_queue(batch, context);
}

}  // namespace fathom::loops
