// What verify= and its options come to: where headers stand, and the bytes of verify_pattern. Decided before the start,
// so that what cannot be is said then. Thread rule: any.
#pragma once
#include <utility>

#include "base/error.h"
#include "job/job.h"
#include "verify/block.h"

namespace fathom::run {

// For a job with verify=; its patterns are read. Errors are of the job's text.
base::Expected<verify::Layout> verify_layout(const job::Job& job);

// What one worker seals and checks by. One owner.
struct VerifyTools {
  verify::Sealer sealer;
  verify::Checker checker;
  static base::Expected<VerifyTools> make(const job::Job& job);
};

}  // namespace fathom::run
