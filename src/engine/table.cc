// The engines that know themselves what their targets are, by name.
#include "engine/parts.h"

namespace fathom::engine {
namespace {

struct Row {
  std::string_view engine;
  const Targets* targets;
};

#define FATHOM_TARGETS_files(NAME) nullptr
#define FATHOM_TARGETS_names(NAME) nullptr
#define FATHOM_TARGETS_nothing(NAME) nullptr
#define FATHOM_TARGETS_devices(NAME) &NAME##_targets
constexpr Row kRows[] = {
#define FATHOM_ENGINE(NAME, made_of, targets, ...) {#NAME, FATHOM_TARGETS_##targets(NAME)},
#include "io/engine_rows.inc"
#undef FATHOM_ENGINE
};

}  // namespace

const Targets* targets_of(std::string_view engine) {
  for (const Row& row : kRows)
    if (row.engine == engine) return row.targets;
  return nullptr;
}

}  // namespace fathom::engine
