// The loop over engine/io_uring.h.
#include "engine/io_uring.h"

#include "loops/instantiate.h"
#include "loops/table.h"

namespace fathom::loops {

base::Expected<void> io_uring_loop(LoopContext& context) {
  engine::UringEngine engine;
  return drive_queue(engine, context);
}

}  // namespace fathom::loops
