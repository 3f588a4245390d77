// The table of engines and their loops.
#include "loops/table.h"

#include <algorithm>
#include <iterator>

#include "engine/parts.h"
#include "loops/shared.h"

namespace fathom::loops {
namespace {

template <auto kMake>
base::Expected<void> batches(run::loop::LoopContext& context) {
  return batch_loop(*kMake(), context);
}
template <const engine::Calls& kCalls>
base::Expected<void> calls(run::loop::LoopContext& context) {
  return call_loop(kCalls, context);
}
template <auto kMake>
constexpr EngineLoop kBatches{batches<kMake>};
template <const engine::Calls& kCalls>
constexpr EngineLoop kCalling{calls<kCalls>};

struct Row {
  std::string_view engine;
  const EngineLoop& loop;
};

#define FATHOM_LOOP_own(NAME) NAME##_engine
#define FATHOM_LOOP_batch(NAME) kBatches<engine::make_##NAME>
#define FATHOM_LOOP_plugin(NAME) kBatches<engine::make_##NAME>
#define FATHOM_LOOP_calls(NAME) kCalling<engine::NAME##_calls>
constexpr Row kRows[] = {
#define FATHOM_ENGINE(NAME, made_of, targets, ...) {#NAME, FATHOM_LOOP_##made_of(NAME)},
#include "io/engine_rows.inc"
#undef FATHOM_ENGINE
};

const EngineLoop* find(std::string_view engine) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.engine == engine; });
  return row == std::end(kRows) ? nullptr : &row->loop;
}

}  // namespace

run::loop::LoopFunction find_loop(std::string_view engine) {
  const auto* loop = find(engine);
  return loop == nullptr ? nullptr : loop->drive;
}

run::loop::LoopFunction idle_loop() { return null_engine.drive; }

base::Expected<void> check_job(const job::Job& job) {
  const auto* loop = find(job.ioengine);
  return loop == nullptr || loop->check == nullptr ? base::Expected<void>() : loop->check(job);
}

}  // namespace fathom::loops
