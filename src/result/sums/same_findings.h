// Combines the same finding of several jobs into one, for texts and counts. The result keeps the finding of each job.
// Pure.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "result/finding.h"

namespace fathom::result::sums {

struct SameFindings {
  const Finding* first;           // among those given
  std::vector<std::string> jobs;  // its jobs; empty: the whole run
};
// In the given order. The same: id, severity, values and texts.
std::vector<SameFindings> same_findings(std::span<const Finding> findings);

// "a", "a, b and c", "a, b, c and 5 more"; empty: the whole run.
std::string jobs_text(const std::vector<std::string>& jobs);

}  // namespace fathom::result::sums
