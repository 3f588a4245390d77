// Finds, by the engine's name, how an engine accesses files and devices itself.
#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/parts.h"

namespace fathom::engine {
namespace {

struct Row {
  std::string_view engine;
  const Targets* targets;
  const Calls* calls;
};

// NOLINTBEGIN(readability-identifier-naming): the ends of the names are words of the rows
#define FATHOM_TARGETS_files(NAME) nullptr
#define FATHOM_TARGETS_names(NAME) nullptr
#define FATHOM_TARGETS_nothing(NAME) nullptr
#define FATHOM_TARGETS_devices(NAME) &NAME##_targets
#define FATHOM_CALLS_own(NAME) nullptr
#define FATHOM_CALLS_batch(NAME) nullptr
#define FATHOM_CALLS_plugin(NAME) nullptr
#define FATHOM_CALLS_calls(NAME) &NAME##_calls
// NOLINTEND(readability-identifier-naming)
constexpr Row kRows[] = {
#define FATHOM_ENGINE(NAME, made_of, targets, ...) \
  {#NAME, FATHOM_TARGETS_##targets(NAME), FATHOM_CALLS_##made_of(NAME)},
#include "io/engine_rows.inc"
#undef FATHOM_ENGINE
};

const Row* row_of(std::string_view engine) {
  const auto* const row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.engine == engine; });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace

const Targets* targets_of(std::string_view engine) {
  const Row* const row = row_of(engine);
  return row == nullptr ? nullptr : row->targets;
}

std::vector<FileBeside> files_beside(std::string_view engine, const io::EngineOptions& options, const std::string& job,
                                     std::span<const std::string> targets) {
  const Row* const row = row_of(engine);
  if (row != nullptr && row->calls != nullptr && row->calls->files != nullptr)
    return row->calls->files(options, job, targets);
  std::vector<FileBeside> files;
  if (row != nullptr && row->targets != nullptr && row->targets->file_of != nullptr)
    for (const auto& target : targets)
      if (auto file = row->targets->file_of(target); !file.empty()) files.push_back({std::move(file), false});
  return files;
}

}  // namespace fathom::engine
