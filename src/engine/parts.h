// Definitions that an engine's file must contain, by the parts in its row (io/engine_rows.inc):
//
//   batch    std::unique_ptr<BatchEngine> make_NAME();
//   calls    const Calls NAME_calls;
//   plugin   nothing: engine/plugin/rows.cc defines make_NAME() and NAME_targets of each such row
//   devices  const Targets NAME_targets;
//
// If one is missing, the linker reports an undefined symbol of that name.
#pragma once
#include <memory>

#include "engine/batch.h"
#include "engine/engine.h"
#include "engine/syscall_call.h"

namespace fathom::engine {

#define FATHOM_PART_own(NAME)
#define FATHOM_PART_batch(NAME) std::unique_ptr<BatchEngine> make_##NAME();
#define FATHOM_PART_plugin(NAME) std::unique_ptr<BatchEngine> make_##NAME();
#define FATHOM_PART_calls(NAME) extern const Calls NAME##_calls;
#define FATHOM_PART_files(NAME)
#define FATHOM_PART_names(NAME)
#define FATHOM_PART_nothing(NAME)
#define FATHOM_PART_devices(NAME) extern const Targets NAME##_targets;
#define FATHOM_ENGINE(NAME, made_of, targets, ...) FATHOM_PART_##made_of(NAME) FATHOM_PART_##targets(NAME)
#include "io/engine_rows.inc"
#undef FATHOM_ENGINE
#undef FATHOM_PART_own
#undef FATHOM_PART_batch
#undef FATHOM_PART_plugin
#undef FATHOM_PART_calls
#undef FATHOM_PART_files
#undef FATHOM_PART_names
#undef FATHOM_PART_nothing
#undef FATHOM_PART_devices

}  // namespace fathom::engine
