// Adds the same shortcoming only once: of one job, in the same words. Pure.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "result/finding.h"

namespace fathom::result::findings {

// Adds the finding unless it already exists.
inline void add_once(std::vector<Finding>& findings, Finding finding) {
  const auto same = [&](const Finding& there) {
    return there.id == finding.id && there.job == finding.job && there.evidence == finding.evidence &&
           there.remedy == finding.remedy;
  };
  if (std::none_of(findings.begin(), findings.end(), same)) findings.push_back(std::move(finding));
}

inline void each_once(std::vector<Finding>& findings) {
  std::vector<Finding> kept;
  for (auto& finding : findings) add_once(kept, std::move(finding));
  findings = std::move(kept);
}

}  // namespace fathom::result::findings
