// The loop over engine/syscall_engine.h.
#include "engine/syscall_engine.h"

#include "loops/instantiate.h"
#include "loops/table.h"

namespace fathom::loops {

base::Expected<void> syscall_loop(LoopContext& context) {
  engine::SyscallEngine engine;
  return drive_sync(engine, context);
}

}  // namespace fathom::loops
