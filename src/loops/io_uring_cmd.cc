// The loop over engine/io_uring_cmd.h.
#include "engine/io_uring_cmd.h"

#include "loops/instantiate.h"
#include "loops/table.h"

namespace fathom::loops {

base::Expected<void> io_uring_cmd_loop(LoopContext& context) {
  engine::UringCmdEngine engine;
  return drive<engine::UringCmdEngine, false>(engine, context);
}

}  // namespace fathom::loops
