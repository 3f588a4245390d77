// The result of verify= and its options: the places of headers, and the bytes of verify_pattern. It is determined
// before the start, so that impossible options are reported then. Thread rule: any.
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

// For a job with verify=. Reads its patterns. Errors refer to the job's text.
base::Expected<verify::Layout> verify_layout(const job::Job& job);

// A worker's tools to seal and check. One owner.
struct VerifyTools {
  verify::Sealer sealer;
  verify::Checker checker;
  // as: replaces the job's format.
  static base::Expected<VerifyTools> make(const job::Job& job, std::optional<verify::Format> as = {});
};

// Whether no byte is written twice. Then a write's number is sufficient to check it, and no map is kept (versions.h).
// In case of doubt: false.
bool writes_each_place_once(const job::Job& job, std::span<const io::Target> targets);

// A hash of what determines the order of a job's writes, except for the number of passes; never 0. Two jobs with equal
// hashes and equal first writes make the same writes in each pass.
std::uint32_t order_hash(const job::Job& job, std::span<const io::Target> targets);

// Marks the verifying jobs that write where another job of their stage does (Plan::others_write_there).
void mark_shared_places(std::vector<files::Plan>& plans);

}  // namespace fathom::run::checks
