// How faithful the replay of a trace was (result::Replay). Pure.
#pragma once
#include <optional>

#include "result/result.h"
#include "run/files/targets.h"
#include "run/records/record.h"

namespace fathom::run::outcome {

// For a job with a trace. `job`: its result, with the directions.
result::Replay replay_of(const files::Plan& plan, const records::WorkerRecord& record, const result::Job& job);
// Of the sum of a group: counts and lateness add up; the order is that within each job.
void merge_replays(std::optional<result::Replay>& into, const std::optional<result::Replay>& from);

}  // namespace fathom::run::outcome
