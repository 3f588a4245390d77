// Engine name -> its loop, from the rows of io/engine_rows.inc.
#pragma once
#include <string_view>

#include "run/loop/context.h"

namespace fathom::loops {

// What drives an engine. An engine with loops of its own has one unit here, which defines NAME_engine.
struct EngineLoop {
  run::loop::LoopFunction drive;
  base::Expected<void> (*check)(const job::Job&) = nullptr;  // of engines that are not built in every combination
};
// NOLINTBEGIN(readability-identifier-naming): the row's name is pasted before _engine
#define FATHOM_OWN_LOOP_own(NAME) extern const EngineLoop NAME##_engine;
#define FATHOM_OWN_LOOP_batch(NAME)
#define FATHOM_OWN_LOOP_calls(NAME)
#define FATHOM_ENGINE(NAME, made_of, ...) FATHOM_OWN_LOOP_##made_of(NAME)
#include "io/engine_rows.inc"
#undef FATHOM_ENGINE
#undef FATHOM_OWN_LOOP_own
#undef FATHOM_OWN_LOOP_batch
#undef FATHOM_OWN_LOOP_calls
// NOLINTEND(readability-identifier-naming)

run::loop::LoopFunction find_loop(std::string_view engine);  // nullptr: no such engine
run::loop::LoopFunction idle_loop();                         // over the engine that does nothing

// Whether the loop that a job asks for with its options is built and this CPU can run it: ErrorKind::usage, before
// anything is opened. (Only nvme is compiled in some combinations of its options and not in others.)
base::Expected<void> check_job(const job::Job& job);

}  // namespace fathom::loops
