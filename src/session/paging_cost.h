// `fathom paging --cost`: before the requested measurement, some seconds of the same memory accesses under the same
// pressure, while each probe is switched on and off (witness/cost/paging_cost_run.h). The measured values are
// discarded. The requested measurement then has a machine that was set up again, and the same probes as without --cost.
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
  std::vector<result::Finding> findings;  // its errors, and what could not be restored
};
// Errors: those of measure_once(), including an interruption.
base::Expected<PagingCost> measure_paging_cost(const paging_job::Request& options, PagingSession& session);

// The same load limited only by time: no limit by accesses or by a trace, no wait before it, no kernel trace lines.
paging_job::Request for_cost(paging_job::Request options);

// For devices that were not sampled in slices: copies the result of the cost run, which had the same devices in the
// same order.
void give_cost(const std::vector<result::WatcherCost>& watching, std::vector<result::DeviceTime>& devices);

}  // namespace fathom::session
