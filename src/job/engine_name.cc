// ioengine= held against the rows of engines and the names that only fio has.
#include "job/engine_name.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/nearest.h"
#include "io/engines.h"
#include "job/not_built.h"
#include "job/option.h"

namespace fathom::job {

base::Expected<void> resolve_engine_name(Draft& draft, const Assignment& section) {
  std::string& engine = draft.job.ioengine;
  if (engine == "cpu") engine = "cpuio";
  for (const auto& row : io::engines())
    if (has_word(row.spellings, engine)) engine = row.name;
  if (io::find_engine(engine) != nullptr) return {};
  base::Error e;
  const auto* applied = draft.find("ioengine");
  e.place = applied ? value_place(applied->assignment) : key_place(section);
  const auto only_fio = engines_not_built();
  if (std::find(only_fio.begin(), only_fio.end(), engine.substr(0, engine.find(':'))) != only_fio.end()) {
    e.kind = base::ErrorKind::not_built;
    e.what = fmt::format("fio engine `{}` is not built in fathom yet", engine);
    e.help = "`--enghelp` lists the engines that are";
    return e;
  }
  std::vector<std::string_view> names;
  for (const auto& row : io::engines()) names.push_back(row.name);
  names.insert(names.end(), only_fio.begin(), only_fio.end());
  e.what = fmt::format("ioengine={}: there is no such engine", engine);
  e.cause = "neither fathom nor fio has an engine of that name";
  const std::string near = base::did_you_mean(engine, names, "", "ioengine=");
  e.help = near + (near.empty() ? "" : " ") + "`--enghelp` lists the engines";
  return e;
}

}  // namespace fathom::job
