// The loop over engine/null.h.
#include "engine/null.h"

#include "loops/instantiate.h"
#include "loops/table.h"

namespace fathom::loops {

namespace {

base::Expected<void> drive(LoopContext& context) {
  engine::NullEngine engine;
  // At depth 1 the I/O is complete when its submission returns. As in fio, this is a synchronous engine without slat.
  if (context.job.iodepth == 1) return drive_sync(engine, context);
  return drive_queue(engine, context);
}

}  // namespace

const EngineLoop null_engine{drive};

}  // namespace fathom::loops
