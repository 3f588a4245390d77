// Compares ioengine= with the rows of engines and with the names that only fio has.
#include "job/values/engine_name.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/nearest.h"
#include "io/engines.h"
#include "io/plugin_options.h"
#include "job/option.h"

namespace fathom::job::values {

namespace {

// The engines whose shared object the job names.
constexpr std::string_view kByPath[] = {
#define FATHOM_ENGINE(...)
#define FATHOM_PLUGIN(NAME, file, ...) std::string_view(file).empty() ? #NAME : "",
#include "io/engine_rows.inc"
#undef FATHOM_ENGINE
};

// NAME:PATH.
base::Expected<void> take_path(Draft& draft, const std::optional<base::SourcePlace>& place) {
  std::string& engine = draft.job.ioengine;
  const auto colon = std::min(engine.find(':'), engine.size());
  const auto name = std::string_view(engine).substr(0, colon);
  if (name.empty() || std::find(std::begin(kByPath), std::end(kByPath), name) == std::end(kByPath)) return {};
  if (engine.size() <= colon + 1)
    return usage_error(fmt::format("ioengine={} names no file", engine), "the engine is in a shared object",
                       fmt::format("write `ioengine={}:PATH`", name), place);
  draft.job.engine.own.get<io::PluginOptions>().path = engine.substr(colon + 1);
  engine.resize(colon);
  return {};
}

}  // namespace

base::Expected<void> resolve_engine_name(Draft& draft, const Assignment& section) {
  std::string& engine = draft.job.ioengine;
  for (const auto& row : io::engines())
    if (has_item(row.spellings, engine)) engine = row.name;
  const auto* applied = draft.find("ioengine");
  const auto place = applied ? value_place(applied->assignment) : key_place(section);
  if (auto ok = take_path(draft, place); !ok) return ok;
  if (io::find_engine(engine) != nullptr) return {};
  for (const auto& row : kOnlyFios) {
    if (!has_item(row.names, std::string_view(engine).substr(0, engine.find(':')))) continue;
    auto e = usage_error(fmt::format("fio engine `{}` is not built in fathom yet", engine), std::string(row.needs),
                         "`--enghelp` lists the supported engines", place);
    e.kind = base::ErrorKind::not_built;
    return e;
  }
  std::vector<std::string_view> names;
  for (const auto& row : io::engines()) names.push_back(row.name);
  for (const auto& row : kOnlyFios)
    for (const auto name : items_in(row.names)) names.push_back(name);
  const std::string near = base::did_you_mean(engine, names, "", "ioengine=");
  return usage_error(fmt::format("ioengine={}: unknown engine", engine),
                     "neither fathom nor fio has an engine with that name",
                     near + (near.empty() ? "" : " ") + "`--enghelp` lists the engines", place);
}

}  // namespace fathom::job::values
