// The engines themselves are known to engine/ only; here are their names, so that a job file can be checked without
// them.
#include "job/engine_name.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/nearest.h"
#include "job/not_built.h"

namespace fathom::job {
namespace {

constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
    {"aio", "libaio"}, {"linuxaio", "libaio"}, {"cpu", "cpuio"}};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

base::Expected<void> resolve_engine_name(Draft& draft, const Assignment& section, const Environment& env) {
  std::string& engine = draft.job.ioengine;
  for (const auto& [spelling, name] : kSpellings)
    if (engine == spelling) engine = name;
  const bool exists = env.engine_exists ? env.engine_exists(engine) : contains(engines_known(), engine);
  if (exists) return {};
  base::Error e;
  const auto* applied = draft.find("ioengine");
  e.place = applied ? value_place(applied->assignment) : key_place(section);
  if (contains(engines_not_built(), engine.substr(0, engine.find(':'))) || contains(engines_known(), engine)) {
    e.kind = base::ErrorKind::not_built;
    e.what = fmt::format("fio engine `{}` is not built in fathom yet", engine);
    e.help = "`--enghelp` lists the engines that are";
    return e;
  }
  std::vector<std::string_view> names;
  for (const auto name : engines_known())
    if (!env.engine_exists || env.engine_exists(name)) names.push_back(name);
  names.insert(names.end(), engines_not_built().begin(), engines_not_built().end());
  e.what = fmt::format("ioengine={}: there is no such engine", engine);
  e.cause = "neither fathom nor fio has an engine of that name";
  const std::string near = base::did_you_mean(engine, names, "", "ioengine=");
  e.help = near + (near.empty() ? "" : " ") + "`--enghelp` lists the engines";
  return e;
}

bool engine_has_files(std::string_view engine) { return engine != "null" && engine != "sim"; }

}  // namespace fathom::job
