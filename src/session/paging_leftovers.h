// What runs that were killed have left behind: swap that is still on, its files and devices, cgroups, settings, DAMON's observation of a process.
// Thread rule: the main thread.
#pragma once
#include <string>
#include <vector>

#include "result/finding.h"

namespace fathom::session {

// Undone before a run; what was done, as a finding each.
std::vector<result::Finding> clean_up_stale_state();

// `fathom paging cleanup`. force: swap goes off also where others' pages have no room.
struct CleanedUp {
  std::vector<std::string> said;  // "run 4711: ..."; empty: nothing was left
  bool failed = false;            // something is still there
};
CleanedUp clean_up_as_asked(bool force);

}  // namespace fathom::session
