// Engine name -> its loop, from the rows of io/engine_rows.inc.
#pragma once
#include <string_view>

#include "run/loop/context.h"

namespace fathom::loops {

// The loop of an engine. An engine with separate loops has one source file here, which defines NAME_engine.
struct EngineLoop {
  run::loop::LoopFunction drive;
  base::Expected<void> (*check)(const job::Job&) = nullptr;  // for engines without some combinations of options
};
// NOLINTBEGIN(readability-identifier-naming): the row's name is pasted before _engine
#define FATHOM_OWN_LOOP_own(NAME) extern const EngineLoop NAME##_engine;
#define FATHOM_OWN_LOOP_batch(NAME)
#define FATHOM_OWN_LOOP_plugin(NAME)
#define FATHOM_OWN_LOOP_calls(NAME)
#define FATHOM_ENGINE(NAME, made_of, ...) FATHOM_OWN_LOOP_##made_of(NAME)
#include "io/engine_rows.inc"
#undef FATHOM_ENGINE
#undef FATHOM_OWN_LOOP_own
#undef FATHOM_OWN_LOOP_batch
#undef FATHOM_OWN_LOOP_plugin
#undef FATHOM_OWN_LOOP_calls
// NOLINTEND(readability-identifier-naming)

run::loop::LoopFunction find_loop(std::string_view engine);  // nullptr: no such engine
run::loop::LoopFunction idle_loop();                         // for the engine that does no I/O

// ErrorKind::usage: the loop that the job's options need is not compiled, or this CPU cannot run it. Call this
// before opening anything. (Only nvme lacks some combinations of its options.)
base::Expected<void> check_job(const job::Job& job);

}  // namespace fathom::loops
