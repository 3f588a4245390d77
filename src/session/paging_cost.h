// `fathom paging --cost`: before what is asked for, the same memory is touched in the same way under the same pressure for
// some seconds, while each of those who watch is switched on and off (witness/cost/paging_cost_run.h). What that measures
// is thrown away; the measurement itself finds a machine that was set up anew, and is watched as it would be.
// Thread rule: the main thread.
#pragma once
#include <vector>

#include "base/error.h"
#include "result/paging.h"
#include "result/watching_cost.h"
#include "session/paging_run.h"

namespace fathom::session {

struct PagingCost {
  std::vector<result::WatcherCost> watching;
  std::vector<result::Finding> findings;  // errors of it, and what could not be restored
};
// Errors: as measure_once(), an interruption among them.
base::Expected<PagingCost> measure_paging_cost(const paging_job::Request& options, PagingSession& session);

// The same load by time alone: no end by accesses or by a trace's, no wait before it, no lines in the kernel's trace.
paging_job::Request for_cost(paging_job::Request options);

// Of devices that were looked at in no slices: what the cost run says, which had the same devices in the same order.
void give_cost(const std::vector<result::WatcherCost>& watching, std::vector<result::DeviceTime>& devices);

}  // namespace fathom::session
