// The loop over engine/sim.h, on the engine's simulated clock. Its results are known in advance.
#include "engine/sim.h"

#include "loops/instantiate.h"
#include "loops/table.h"

namespace fathom::loops {

namespace {

base::Expected<void> drive(LoopContext& context) {
  engine::SimEngine engine;
  if (auto opened = open(engine, context, context.job.iodepth); !opened) return opened;
  const run::loop::FakeClockView clock{&engine.clock()};
  using Plain = Variant<run::loop::FakeClockView, Stamping::fathom, false>;
  if (run::loop::stamping_of(context.job) == Stamping::fathom && !run::loop::is_instrumented(context))
    run_loop<QueueLoop<engine::SimEngine, Plain>>(engine, clock, context);
  else
    run_loop<QueueLoop<engine::SimEngine, Generic<run::loop::FakeClockView>>>(engine, clock, context);
  engine.close();
  return {};
}

}  // namespace

const EngineLoop sim_engine{drive};

}  // namespace fathom::loops
