// The same finding of several jobs is one: how a reader is told of it, and how it is counted. A result has each job's.
// Pure.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "result/finding.h"

namespace fathom::result::sums {

struct SameFindings {
  const Finding* first;           // of those that were given
  std::vector<std::string> jobs;  // whose; of the whole run none
};
// In their order. The same: id, severity, values and texts.
std::vector<SameFindings> same_findings(std::span<const Finding> findings);

// "a", "a, b and c", "a, b, c and 5 more"; empty: of the whole run.
std::string jobs_text(const std::vector<std::string>& jobs);

}  // namespace fathom::result::sums
