// The loop over engine/libaio.h.
#include "engine/libaio.h"

#include "loops/instantiate.h"
#include "loops/table.h"

namespace fathom::loops {

base::Expected<void> libaio_loop(LoopContext& context) {
  engine::LibaioEngine engine;
  return drive<engine::LibaioEngine, false>(engine, context);
}

}  // namespace fathom::loops
