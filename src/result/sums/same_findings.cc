// See same_findings.h.
#include "result/sums/same_findings.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::result::sums {
namespace {

bool is_same(const Finding& one, const Finding& other) {
  return one.id == other.id && one.severity == other.severity && one.values == other.values &&
         one.evidence == other.evidence && one.remedy == other.remedy && one.job.empty() == other.job.empty();
}

}  // namespace

std::vector<SameFindings> same_findings(std::span<const Finding> findings) {
  std::vector<SameFindings> all;
  for (const auto& finding : findings) {
    auto same = std::find_if(all.begin(), all.end(), [&](const auto& known) { return is_same(*known.first, finding); });
    if (same == all.end()) same = all.insert(all.end(), {&finding, {}});
    auto& jobs = same->jobs;
    if (!finding.job.empty() && std::find(jobs.begin(), jobs.end(), finding.job) == jobs.end())
      jobs.push_back(finding.job);
  }
  return all;
}

std::string jobs_text(const std::vector<std::string>& jobs) {
  constexpr std::size_t kMostNames = 4;
  const std::size_t named = jobs.size() > kMostNames ? kMostNames - 1 : jobs.size();
  std::string out;
  for (std::size_t i = 0; i < named; ++i) {
    const bool is_last = i > 0 && i + 1 == jobs.size();
    out += (i == 0 ? "" : is_last ? " and " : ", ") + jobs[i];
  }
  return named < jobs.size() ? fmt::format("{} and {} more", out, jobs.size() - named) : out;
}

}  // namespace fathom::result::sums
