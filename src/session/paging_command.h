// All that `fathom paging run` and `fathom paging breakdown` have in common, from a machine that a killed run may have left as it was to a result that
// is complete: findings of every stage, the program's facts, the identity. Thread rule: the main thread.
#pragma once
#include <string>
#include <vector>

#include "audit/machine/build_checks.h"
#include "base/error.h"
#include "paging_job/request.h"
#include "result/result.h"
#include "session/paging_run.h"

namespace fathom::session {

// What is to be measured, with everything chosen that can be chosen before the machine is changed.
struct CheckedPaging {
  paging_job::Action action;
  paging_job::Request request;
  std::vector<result::Finding> findings;  // of what killed runs had left, and of the command line
};

// Undoes first what killed runs have left.
base::Expected<CheckedPaging> check_as_asked(paging_job::Action action, paging_job::Request request);

// What stands in the result of who measured, and how it is written.
struct PagingOrigin {
  result::Program program;
  audit::machine::BuildFacts build;
};

// The clock is chosen here, into the session. Errors: nothing was measured.
base::Expected<result::Run> measure_as_asked(CheckedPaging checked, const PagingOrigin& origin, PagingSession& session);

// `fathom paging cleanup`: what runs that were killed have left is undone. force: swap goes off also where others' pages have no room.
struct CleanedUp {
  std::vector<std::string> said;  // "run 4711: ..."; empty: nothing was left
  bool failed = false;            // something is still there
  std::string not_looked;         // why not all could be seen; empty: it was
};
CleanedUp clean_up_as_asked(bool force);

// What killed runs have left on this machine, a sentence a run: "process 4711 was killed: its swap, cgroup or settings are
// still in place". Looks, and changes nothing. A run that lives, in whatever namespace, has left nothing.
std::vector<std::string> left_by_killed_runs();

}  // namespace fathom::session
