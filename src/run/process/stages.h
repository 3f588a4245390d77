// Which jobs start together: a stage lasts until the next stonewall.
#pragma once
#include <cstddef>
#include <vector>

#include "run/files/targets.h"

namespace fathom::run::process {

// One past the last plan that starts together with `first`.
inline std::size_t stage_end(const std::vector<files::Plan>& plans, std::size_t first) {
  std::size_t i = first + 1;
  while (i < plans.size() && !(plans[i].job.stonewall && plans[i].job.section != plans[i - 1].job.section)) ++i;
  return i;
}

}  // namespace fathom::run::process
