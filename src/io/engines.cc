// The rows of engines as a table.
#include "io/engines.h"

#include <algorithm>
#include <iterator>

namespace fathom::io {
namespace {

constexpr EngineTraits kEngines[] = {
#define FATHOM_ENGINE(NAME, made_of, targets, options, ...) {.name = #NAME, __VA_ARGS__},
#include "io/engine_rows.inc"
#undef FATHOM_ENGINE
};

}  // namespace

std::span<const EngineTraits> engines() { return kEngines; }

const EngineTraits* find_engine(std::string_view name) {
  const auto* row =
      std::find_if(std::begin(kEngines), std::end(kEngines), [&](const EngineTraits& e) { return e.name == name; });
  return row == std::end(kEngines) ? nullptr : row;
}

const EngineTraits& traits_of(std::string_view engine) {
  static constexpr EngineTraits kNone;
  const auto* row = find_engine(engine);
  return row == nullptr ? kNone : *row;
}

}  // namespace fathom::io
