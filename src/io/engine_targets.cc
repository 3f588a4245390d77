// The kind of targets of an engine, from the rows of engines.
#include "io/engine_targets.h"

#include <algorithm>
#include <iterator>

namespace fathom::io {

TargetsAre targets_are(std::string_view engine) {
  struct Row {
    std::string_view name;
    TargetsAre targets;
  };
  static constexpr Row kRows[] = {
#define FATHOM_ENGINE(NAME, made_of, targets, ...) {#NAME, TargetsAre::targets},
#include "io/engine_rows.inc"
#undef FATHOM_ENGINE
  };
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.name == engine; });
  return row == std::end(kRows) ? TargetsAre::files : row->targets;
}

}  // namespace fathom::io
