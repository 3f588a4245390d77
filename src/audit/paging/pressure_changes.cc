// Settings that another process changed while a paging run lasted.
#include <algorithm>

#include "audit/paging/paging_checks.h"
#include "audit/text.h"
#include "result/findings/rows.h"

namespace fathom::audit::paging {
namespace {

result::Finding change_finding(const PressureChange& change, std::string_view variant) {
  return result::findings::found("paging.changed_by_others",
                                 {.variant = variant,
                                  .values = {{"what", change.what}, {"before", change.before}, {"after", change.after}},
                                  .effect = result::Effect{result::EffectOn::time, 0.5}});
}

}  // namespace

std::vector<PressureChange> pressure_changes(const result::PagingPressure& begin, const result::PagingPressure& now) {
  std::vector<PressureChange> out;
  const auto compare = [&](const std::string& what, const std::string& before, const std::string& after) {
    if (before != after) out.push_back({what, before, after});
  };
  const auto limit = [](std::uint64_t bytes) { return bytes == 0 ? "none" : bytes_text(static_cast<double>(bytes)); };
  const auto swaps = [](const auto& pressure) {
    std::vector<std::string> paths;
    for (const auto& swap : pressure.swaps) paths.push_back(swap.path);
    return paths.empty() ? std::string("none") : joined(paths);
  };
  compare("the memory limit", limit(begin.limit_bytes), limit(now.limit_bytes));
  compare("the memory limit of " + (now.ambient_group.empty() ? begin.ambient_group : now.ambient_group),
          limit(begin.ambient_limit_bytes), limit(now.ambient_limit_bytes));
  compare("the active swap", swaps(begin), swaps(now));
  for (const auto& [name, value] : begin.settings)
    for (const auto& [other, later] : now.settings)
      if (other == name) compare(name, value, later);
  return out;
}

void add_changes(std::vector<PressureChange>& all, const std::vector<PressureChange>& more) {
  for (const auto& change : more)
    if (std::none_of(all.begin(), all.end(), [&](const auto& known) { return known.what == change.what; }))
      all.push_back(change);
}

std::vector<result::Finding> change_findings(const std::vector<PressureChange>& meanwhile,
                                             const std::vector<PressureChange>& at_end) {
  std::vector<result::Finding> out;
  out.reserve(meanwhile.size() + at_end.size());
  for (const auto& change : at_end) out.push_back(change_finding(change, "meanwhile"));
  for (const auto& change : meanwhile)
    if (std::none_of(at_end.begin(), at_end.end(), [&](const auto& known) { return known.what == change.what; }))
      out.push_back(change_finding(change, "restored"));
  return out;
}

}  // namespace fathom::audit::paging
