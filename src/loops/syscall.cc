// The loop over engine/syscall_engine.h, for every engine with one system call per I/O.
#include "engine/syscall_engine.h"

#include "loops/instantiate.h"
#include "loops/shared.h"

namespace fathom::loops {

base::Expected<void> call_loop(const engine::Calls& calls, LoopContext& context) {
  engine::SyscallEngine engine(calls);
  return drive_sync(engine, context);
}

}  // namespace fathom::loops
