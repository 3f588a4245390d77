// What verify= and its options come to: where headers stand, and the bytes of verify_pattern. Decided before the start,
// so that what cannot be is said then. Thread rule: any.
#pragma once
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "io/target.h"
#include "job/job.h"
#include "run/files/targets.h"
#include "verify/block.h"

namespace fathom::run::checks {

// For a job with verify=; its patterns are read. Errors are of the job's text.
base::Expected<verify::Layout> verify_layout(const job::Job& job);

// What one worker seals and checks by. One owner.
struct VerifyTools {
  verify::Sealer sealer;
  verify::Checker checker;
  // as: instead of the job's format.
  static base::Expected<VerifyTools> make(const job::Job& job, std::optional<verify::Format> as = {});
};

// Whether no byte is written twice: then a write's number is all that has to be known to check it, and no map is kept
// (versions.h). Doubtful jobs count as those that write twice.
bool writes_each_place_once(const job::Job& job, std::span<const io::Target> targets);

// Tells the jobs that write where another one of their stage does (Plan::others_write_there).
void mark_shared_places(std::vector<files::Plan>& plans);

}  // namespace fathom::run::checks
