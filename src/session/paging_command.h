// The common steps of `fathom paging run` and `fathom paging breakdown`, from a machine that may have stale state of a
// killed run to a complete result: findings of every stage, the program's facts, the identity. Thread rule: the main
// thread.
#pragma once
#include <string>
#include <vector>

#include "audit/machine/build_checks.h"
#include "base/error.h"
#include "paging_job/request.h"
#include "result/result.h"
#include "session/paging_run.h"

namespace fathom::session {

// The request, with every choice made that is possible before the machine is changed.
struct CheckedPaging {
  paging_job::Action action;
  paging_job::Request request;
  std::vector<result::Finding> findings;  // stale state of killed runs, and the command line
};

// First removes the stale state of killed runs.
base::Expected<CheckedPaging> check_as_asked(paging_job::Action action, paging_job::Request request);

// The program and build that made the measurement, for the result.
struct PagingOrigin {
  result::Program program;
  audit::machine::BuildFacts build;
};

// Chooses the clock and stores it in the session. Errors: nothing was measured.
base::Expected<result::Run> measure_as_asked(CheckedPaging checked, const PagingOrigin& origin, PagingSession& session);

// `fathom paging cleanup`: undoes the changes left by killed runs. force: also disables swap if pages of
// other processes then lack space.
struct CleanedUp {
  std::vector<std::string> said;  // "run 4711: ..."; empty: no stale state
  bool failed = false;            // some of it still exists
  std::string not_looked;         // why not all could be examined; empty: all were
};
CleanedUp clean_up_as_asked(bool force);

// The stale state of killed runs on this machine, one sentence per run: "process 4711 was killed: its swap, cgroup or
// settings are still in place". Only reads. A living run, in any namespace, has no stale state.
std::vector<std::string> left_by_killed_runs();

}  // namespace fathom::session
