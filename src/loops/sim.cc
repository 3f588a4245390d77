// The loop over engine/sim.h, on the engine's own clock: what it reports is known in advance.
#include "engine/sim.h"

#include "loops/instantiate.h"
#include "loops/table.h"

namespace fathom::loops {

base::Expected<void> sim_loop(LoopContext& context) {
  engine::SimEngine engine;
  if (auto opened = engine.open(setup_of(context, context.job.iodepth)); !opened) return opened;
  with_pacing<engine::SimEngine, run::FakeClockView, false>(engine, run::FakeClockView{&engine.clock()}, context);
  engine.close();
  return {};
}

}  // namespace fathom::loops
