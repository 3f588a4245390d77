// Stamping and checking the blocks of a run.
#include "run/verification.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>

#include "job/errors.h"

namespace fathom::run {

Verification::Verification(const job::Job& job, std::span<const io::Target> targets, std::uint32_t job_index,
                           std::uint64_t generation)
    : job_(job), interval_(static_cast<std::uint32_t>(job.verify_interval)), generation_(generation) {
  if (job.mode.writes && (job.do_verify || job.verify_only)) read_back_.emplace(job, targets, job_index);
}

void Verification::stamp(const io::Request& request, std::byte* buffer) {
  if (request.dir != io::Dir::write) return;
  ++writes_;
  workload::stamp_block({buffer, request.length}, request.offset, interval_, generation_);
}

bool Verification::check(const io::Request& request, const std::byte* buffer, WorkerRecord& record,
                         std::uint32_t first_target) const {
  if (request.dir != io::Dir::read || (job_.mode.writes && !reading_back_)) return true;
  // Only what this run has written must be of its generation.
  const std::uint64_t generation = job_.mode.writes && !job_.verify_only ? generation_ : 0;
  const auto verdict = workload::check_block({buffer, request.length}, request.offset, interval_, generation);
  if (verdict.good()) return true;
  const bool goes_on = job::goes_on_after(job_.of<job::Errors>(), io::Dir::read, EILSEQ);
  if (auto* e = record.add_io_error(EILSEQ, goes_on, request, first_target))
    std::snprintf(e->what, sizeof e->what,
                  "verify: bad %s at offset %" PRIu64 ", expected %#" PRIx64 ", found %#" PRIx64,
                  workload::name(verdict.flaw), verdict.offset, verdict.expected, verdict.found);
  return false;
}

}  // namespace fathom::run
