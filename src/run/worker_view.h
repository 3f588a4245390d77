// Read access to a worker while it runs. The records live as long as the run.
#pragma once
#include <span>
#include <vector>

#include "run/records/record.h"

namespace fathom::run {

struct WorkerView {
  const records::WorkerRecord* record = nullptr;  // null: nothing is known of the worker
  std::span<const records::WorkerRecord>
      lanes;  // io_submit_mode=offload: `record` is the sum of these, but only at the end
};
using WorkerViews = std::vector<WorkerView>;  // by plan

}  // namespace fathom::run
