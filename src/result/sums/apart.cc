// The gaps between the times of the directions, in the order of their begins.
#include "result/sums/apart.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "result/findings/rows.h"
#include "result/measured.h"

namespace fathom::result::sums {
namespace {

// A job that hardly contributes to the rate of all does not fill a gap.
constexpr double kSmallShare = 0.05;
bool is_small(std::uint64_t part, std::uint64_t all) {
  return static_cast<double>(part) < kSmallShare * static_cast<double>(all);
}

}  // namespace

std::optional<Finding> apart(const Run& run) {
  constexpr double kSecond_ns = 1e9;
  std::set<int> groups;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> times;
  std::uint64_t all_ios = 0, all_bytes = 0;
  for (const auto& job : run.jobs) groups.insert(job.group_id);
  const auto jobs = single_jobs(run);
  for (const auto* job : jobs)
    for (const auto& dir : job->dirs) all_ios += dir.ios, all_bytes += dir.bytes;
  for (const auto* job : jobs)
    for (const auto& dir : job->dirs) {
      if (dir.ios == 0 || (is_small(dir.ios, all_ios) && is_small(dir.bytes, all_bytes))) continue;
      if (!dir.begin_ns || !dir.end_ns) return std::nullopt;
      times.emplace_back(*dir.begin_ns, *dir.end_ns);
    }
  if (groups.size() > 1 || times.empty()) return std::nullopt;
  std::sort(times.begin(), times.end());
  std::uint64_t end_ns = times.front().first, idle_ns = 0;
  for (const auto& [from_ns, to_ns] : times) {
    idle_ns += from_ns > end_ns ? from_ns - end_ns : 0;
    end_ns = std::max(end_ns, to_ns);
  }
  const auto all_ns = static_cast<double>(end_ns - times.front().first), nobody_ns = static_cast<double>(idle_ns);
  if (nobody_ns < kIdleShare * all_ns || idle_ns == 0) return std::nullopt;
  return findings::found("run.apart", {.values = {{"idle_s", nobody_ns / kSecond_ns}, {"run_s", all_ns / kSecond_ns}},
                                       .effect = Effect{EffectOn::time, nobody_ns / all_ns}});
}

}  // namespace fathom::result::sums
