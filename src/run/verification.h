// verify= in a run: what the loops ask of it. Writes are sealed before they go out (verify/block.h), reads are held
// against the headers when they come, and after the measured phase what was written is read back, in the same order,
// through the same loop. The seed of a write's contents follows from the run and from the write's number, which both
// stand in its header: what a run reads back must be of that run, whole as it is, or a write never arrived. A block that
// is wrong is an I/O that failed with EILSEQ, in the worker's record. The reads of a mixed job are not checked, as in
// fio: they may meet blocks that nobody has written. Blocks that fathom wrote before it had fio's format are read too
// (workload/verify.h). Only the loops' paced variants know of it. Thread rule: one owner, the worker. No allocation
// after the constructor but for what is wrong.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "io/request.h"
#include "io/target.h"
#include "job/job.h"
#include "run/record.h"
#include "run/verify_plan.h"
#include "workload/read_back.h"

namespace fathom::run {

class Verification {
 public:
  // For a job with verify=; it and the targets outlive this. generation: of this run, not 0.
  Verification(VerifyTools tools, const job::Job& job, std::span<const io::Target> targets, std::uint32_t job_index,
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

  // Whether stamp() makes all bytes of a write. Otherwise it puts headers into what the buffer has.
  bool makes_contents() const { return makes_contents_; }
  // A request that is about to be issued, so many ns after the job's start.
  void stamp(const io::Request& request, std::byte* buffer, std::uint64_t at_ns);
  // A request that has ended well; false: what it read is wrong, and the record says so. The buffer's headers may be
  // moved. first_target: of the targets among the job's.
  bool check(const io::Request& request, std::byte* buffer, WorkerRecord& record, std::uint32_t first_target = 0);
  std::uint64_t generation() const { return generation_; }
  bool fatal() const { return job_.verify_fatal; }

 private:
  verify::Verdict verdict_of(std::span<std::byte> io, std::uint64_t offset);
  verify::Verdict of_this_run(std::span<const std::byte> io, verify::Verdict verdict) const;
  std::uint64_t seed_of(std::uint64_t numberio) const;
  void tell(const char* text, const io::Request& request, WorkerRecord& record, std::uint32_t first_target) const;

  const job::Job& job_;
  const std::span<const io::Target> targets_;
  VerifyTools tools_;
  const std::uint64_t generation_;
  const std::uint16_t thread_;
  const bool makes_contents_;
  std::optional<workload::ReadBack> read_back_;
  std::uint64_t writes_ = 0;
  bool reading_back_ = false;
};

}  // namespace fathom::run
