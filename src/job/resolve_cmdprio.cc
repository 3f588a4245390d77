// Numbers of priorities are given in the order of their first mention.
#include "job/resolve_cmdprio.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "io/cmdprio.h"
#include "job/option.h"
#include "job/resolve.h"

namespace fathom::job {

base::Expected<void> resolve_cmdprio(Draft& draft, const Assignment& section) {
  const io::CmdprioOptions& given = std::as_const(draft.job.engine).of<io::CmdprioOptions>();
  bool by_chance = false, by_size = false;
  for (std::size_t d = 0; d < 2; ++d) {
    by_chance = by_chance || given.percentage[d] != 0;
    by_size = by_size || !given.split[d].empty();
  }
  if ((!by_chance && !by_size) || !find_option("cmdprio_percentage")->of_engine(draft.job.ioengine)) return {};
  if (by_chance && by_size)
    return error_for(draft, section, "cmdprio_bssplit",
                     "cmdprio_percentage and cmdprio_bssplit options are mutually exclusive",
                     "an I/O has its priority by chance or by its size", "leave one of them out");
  auto& own = draft.job.engine.own.get<io::CmdprioOptions>();
  const auto add = [&](const io::CmdprioOptions::Of& of) {
    if (std::find(own.values.begin(), own.values.end(), of) == own.values.end()) own.values.push_back(of);
  };
  for (std::size_t d = 0; d < 2; ++d) {
    if (own.percentage[d] != 0) add(own.common(d));
    for (auto& entry : own.split[d]) {
      if (!entry.own) entry.of = own.common(d);
      add(entry.of);
    }
  }
  if (own.values.size() > io::kMostPriorities)
    return error_for(draft, section, "cmdprio_bssplit", fmt::format("{} different priorities", own.values.size()),
                     fmt::format("a job has {} of them at most", io::kMostPriorities), "name fewer");
  return {};
}

}  // namespace fathom::job
