// The record of a job that is done by several loops (io_submit_mode=offload): each has a record of its own, of one
// writer, and the job's is their sum. Counters are summed up while they run, all else once, at the end. Pure.
#pragma once
#include <span>

#include "run/records/record.h"

namespace fathom::run::records {

using Parts = std::span<const WorkerRecord* const>;

// What the parent looks at while a job runs: sets the counters of `into` to the sums of the parts', and the start to
// the earliest.
void publish_counts(WorkerRecord& into, Parts parts);
// All of them, at the end. Where `into` has counts that are no publish_counts' (a copy), they are overwritten.
void sum_records(WorkerRecord& into, Parts parts);

}  // namespace fathom::run::records
