// verify= in a run: what the loops ask of it. Writes are stamped with headers before they go out, reads are held
// against them when they come, and after the measured phase what was written is read back, in the same order, through
// the same loop. A block that is wrong is an I/O that failed with EILSEQ, in the worker's record. The reads of a mixed
// job are not checked, as in fio: they may meet blocks that nobody has written. Only the loops' paced variants know of
// it. Thread rule: one owner, the worker. No allocation after the constructor.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "io/request.h"
#include "io/target.h"
#include "job/job.h"
#include "run/record.h"
#include "workload/read_back.h"
#include "workload/verify.h"

namespace fathom::run {

class Verification {
 public:
  // For a job with verify=; it and the targets outlive this. generation: of this run, not 0.
  Verification(const job::Job& job, std::span<const io::Target> targets, std::uint32_t job_index,
               std::uint64_t generation);

  // verify_only: nothing is written, all of it is read back.
  bool writes_nothing() const { return job_.verify_only && job_.mode.writes; }
  bool reads_back() const { return read_back_.has_value(); }
  // From now on reads are held against what was written; the source that makes them.
  workload::Source& begin_reading_back() {
    reading_back_ = true;
    if (!writes_nothing()) read_back_->limit(writes_);
    return *read_back_;
  }

  // A request that is about to be issued.
  void stamp(const io::Request& request, std::byte* buffer);
  // A request that has ended well; false: what it read is wrong, and the record says so. first_target: of the targets
  // among the job's.
  bool check(const io::Request& request, const std::byte* buffer, WorkerRecord& record,
             std::uint32_t first_target = 0) const;
  std::uint64_t generation() const { return generation_; }
  bool fatal() const { return job_.verify_fatal; }

 private:
  const job::Job& job_;
  const std::uint32_t interval_;
  const std::uint64_t generation_;
  std::optional<workload::ReadBack> read_back_;
  std::uint64_t writes_ = 0;
  bool reading_back_ = false;
};

}  // namespace fathom::run
