// What of a plan a report must say so that the run can be repeated, beside what has a field of its own. In the words of
// `fathom paging`'s options. Pure.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "paging/plan.h"
#include "paging/sources/access_source.h"
#include "result/finding.h"

namespace fathom::paging {

// Option without its dashes and value ("": a switch), of what is not as it is by itself; a pattern's own always.
std::vector<std::pair<std::string, std::string>> conditions_of(const Plan& plan);
// "random", "compressible:70".
std::string fill_text(const RegionPlan& region);
// paging.profile_clipped: the profile was learnt of more memory than the set has. paging.profile_theta: how often which
// page is used was not learnt, or not well.
std::vector<result::Finding> judge_profile(const sources::PatternFacts& facts, std::uint64_t set_bytes);

}  // namespace fathom::paging
