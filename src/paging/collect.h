// Of the records of all threads, what the result keeps of them, and what is wrong about them. Pure: reads memory only.
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
// Workers, the sums over them, the window; page_bytes and memory of the processes.
void collect(const Plan& plan, std::span<const workers::ProcessRecord> processes,
             std::span<const sources::ThreadRecord> threads, result::Paging& paging);
// The measurement's own memory of the thread that has most, and how much of it is locked where least is.
void note_memory(std::span<const workers::ProcessRecord> processes, result::Paging& paging);
// paging.not_locked, paging.not_bound, paging.own_faults, paging.class_totals.
std::vector<result::Finding> judge_workers(const Plan& plan, std::span<const workers::ProcessRecord> processes,
                                           std::span<const sources::ThreadRecord> threads,
                                           const result::Paging& paging);

}  // namespace fathom::paging
