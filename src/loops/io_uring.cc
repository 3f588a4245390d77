// The loop over engine/queue/io_uring.h.
#include "engine/queue/io_uring.h"

#include "loops/instantiate.h"
#include "loops/table.h"

namespace fathom::loops {

namespace {

base::Expected<void> drive(LoopContext& context) {
  engine::queue::UringEngine engine;
  return drive_queue(engine, context);
}

}  // namespace

const EngineLoop io_uring_engine{drive};

}  // namespace fathom::loops
