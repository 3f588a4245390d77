// Defines make_NAME() and NAME_targets of each engine in a shared object, from its row.
#include "engine/parts.h"
#include "engine/plugin/plugin.h"

namespace fathom::engine {
namespace plugin {
namespace {

// A row without a definition of NAME_row is no plug-in.
#define FATHOM_ENGINE(...)
#define FATHOM_PLUGIN(NAME, file, package, ...) constexpr PluginRow NAME##_row{#NAME, file, package};
#include "io/engine_rows.inc"
#undef FATHOM_ENGINE

template <const PluginRow& kRow>
base::Expected<TargetFacts> look(const std::string& name, const io::EngineOptions& options) {
  return look_at(kRow, name, options);
}

}  // namespace
}  // namespace plugin

#define FATHOM_ENGINE(...)
#define FATHOM_PLUGIN(NAME, ...)                                                                 \
  std::unique_ptr<BatchEngine> make_##NAME() { return plugin::make_engine(plugin::NAME##_row); } \
  const Targets NAME##_targets{plugin::split_names,                                              \
                               plugin::look<plugin::NAME##_row>,                                 \
                               nullptr,                                                          \
                               nullptr,                                                          \
                               plugin::target_of,                                                \
                               plugin::directory_of,                                             \
                               make_##NAME};
#include "io/engine_rows.inc"
#undef FATHOM_ENGINE

}  // namespace fathom::engine
