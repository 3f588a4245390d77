// Builds the result from the records of all threads, and reports problems in them. Pure: reads memory only.
#pragma once
#include <span>
#include <vector>

#include "paging/plan.h"
#include "paging/series.h"
#include "paging/workers/worker_state.h"
#include "result/finding.h"
#include "result/paging.h"

namespace fathom::paging {

result::PagingThread collect_thread(const Plan& plan, const sources::ThreadRecord& record, int process, int thread);
// Fills workers, their sums, the window, and page_bytes and memory of the processes.
void collect(const Plan& plan, std::span<const workers::ProcessRecord> processes,
             std::span<const sources::ThreadRecord> threads, result::Paging& paging);
// The measurement memory of the thread that has the most, and the locked part of it in the process that locked the
// least.
void note_memory(std::span<const workers::ProcessRecord> processes, result::Paging& paging);
// paging.not_locked, paging.not_bound, paging.own_faults, paging.class_totals.
std::vector<result::Finding> judge_workers(const Plan& plan, std::span<const workers::ProcessRecord> processes,
                                           std::span<const sources::ThreadRecord> threads,
                                           const result::Paging& paging);

}  // namespace fathom::paging
