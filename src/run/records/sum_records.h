// The record of a job with several loops (io_submit_mode=offload). Each loop has a separate record with one writer, and
// the job's record is the sum. Counters are summed while the loops run, all other values once, at the end. Pure.
#pragma once
#include <span>

#include "run/records/record.h"

namespace fathom::run::records {

using Parts = std::span<const WorkerRecord* const>;

// The values that the parent reads while a job runs. Sets the counters of `into` to the sums of the parts', and the
// start to the earliest.
void publish_counts(WorkerRecord& into, Parts parts);
// All values, at the end. Overwrites the counters that publish_counts() sets, also in a copy, and adds the rest.
void sum_records(WorkerRecord& into, Parts parts);

}  // namespace fathom::run::records
