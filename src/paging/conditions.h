// Conditions of a plan that a report needs so that the run can be repeated, except those with a separate report field.
// Written as options of `fathom paging`. Pure.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "paging/plan.h"
#include "paging/sources/access_source.h"
#include "result/finding.h"

namespace fathom::paging {

// Options without dashes, with values ("": a switch), that differ from the default; a pattern's own options always.
std::vector<std::pair<std::string, std::string>> conditions_of(const Plan& plan);
// "random", "compressible:70".
std::string fill_text(const RegionPlan& region);
// paging.profile_clipped: the profile was learnt from more memory than the set has. paging.profile_theta: the exponent
// of page frequency was not learnt, or not well.
std::vector<result::Finding> judge_profile(const sources::PatternFacts& facts, std::uint64_t set_bytes);

}  // namespace fathom::paging
