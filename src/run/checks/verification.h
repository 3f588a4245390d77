// verify= in a run: what the loops ask of it. Writes are sealed before they go out (verify/block.h), reads are judged
// when they come (verify_judge.h), and after the measured phase what was written is read back, in the same order,
// through the same loop; with verify_backlog some of it between the writes (verify_turns.h). The seed of a write's
// contents follows from the run and from the write's number, which both stand in its header: what a run reads back must
// be the last write that it made there, or that write never arrived. Of places that have been written over nothing is
// demanded, and where the order is not known nothing but a whole block of this run, or not even that. The record says
// how much was held against what. A block that is wrong is an I/O that failed with EILSEQ, in the worker's record. The
// reads of a mixed job are not checked, as in fio: they may meet blocks that nobody has written. Blocks that fathom wrote
// before it had fio's format are read too (workload/bytes/verify.h). Only the loops' paced variants know of it. Thread rule:
// one owner, the worker. No allocation after the constructor but for what is wrong.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/request.h"
#include "io/target.h"
#include "job/job.h"
#include "run/checks/verify_judge.h"
#include "run/checks/verify_plan.h"
#include "run/checks/verify_threads.h"
#include "run/checks/verify_turns.h"
#include "run/checks/versions.h"
#include "run/records/record.h"
#include "workload/read_back.h"

namespace fathom::run::checks {

class StateKeeper;

// The state that the job keeps of its writes, and the one that it reads back by; both outlive it. Null: none.
struct VerifyState {
  StateKeeper* kept = nullptr;
  const FollowedState* followed = nullptr;
  bool is_exact() const;  // the very writes are known by it
};

class Verification {
 public:
  // For a job with verify=; it and the targets outlive this. generation: of this run, not 0.
  static base::Expected<Verification> make(const job::Job& job, std::span<const io::Target> targets,
                                           std::uint32_t job_index, std::uint64_t generation, bool others_write_there,
                                           VerifyState state = {});

  // verify_only: nothing is written, all of it is read back.
  bool writes_nothing() const { return facts_->job.verify_only && facts_->job.mode.writes; }
  bool reads_back() const { return facts_->job.mode.writes && (facts_->job.do_verify || facts_->job.verify_only); }
  // The source of the job's requests, or one that stands between it and the loop (VerifyTurns). record: where writes are
  // counted that are not read back, for others came after them. All outlive this.
  workload::Source* between(workload::Source& requests, records::WorkerRecord& record);
  // From now on reads are held against what was written; the source that makes them.
  workload::Source& begin_reading_back(records::WorkerRecord& record);
  // A request that was handed out and that nobody will issue: the phase was over before.
  void not_issued(const io::Request& request);

  // Whether stamp() makes all bytes of a write. Otherwise it puts headers into what the buffer has.
  bool makes_contents() const { return facts_->makes_contents; }
  // A request that is about to be issued, so many ns after the job's start.
  void stamp(const io::Request& request, std::byte* buffer, std::uint64_t at_ns);
  // A request other than a read has ended. Always true.
  bool ended(const io::Request& request, bool well);
  // A read that has ended well; false: what it read is wrong, and the record says so (with verify_async perhaps later).
  // The buffer's headers may be moved. first_target: of the targets among the job's.
  bool check(const io::Request& request, std::byte* buffer, records::WorkerRecord& record,
             std::uint32_t first_target = 0);
  // Waits until all has been checked that was read. False: some of it was wrong.
  void settle(records::WorkerRecord& record);
  std::uint64_t generation() const { return facts_->generation; }
  bool others_write_there() const { return facts_->others_write_there; }
  // verify_fatal, and something was wrong.
  bool ends_job() const { return facts_->job.verify_fatal && wrong_ > 0; }

 private:
  struct Place {  // of failed writes
    std::uint16_t target = 0;
    std::uint64_t begin = 0, end = 0;
  };
  Verification(std::unique_ptr<VerifyFacts> facts, VerifyTools tools, StateKeeper* kept);
  std::uint64_t writes_to_read_back() const;
  bool failed_there(const io::Request& request) const;
  bool is_read_back(const io::Request& read, std::uint64_t number, records::WorkerRecord& record) const;
  Against against(const io::Request& read) const;
  bool book(const io::Request& read, const Judged& judged, records::WorkerRecord& record, std::uint32_t first_target);
  VerifyThreads::Told booking(records::WorkerRecord& record);

  std::unique_ptr<VerifyFacts> facts_;
  Judge judge_;
  StateKeeper* kept_;
  std::vector<Place> failed_;
  bool all_doubtful_ = false;  // more writes have failed than `failed_` holds
  std::optional<workload::ReadBack> read_back_;
  std::unique_ptr<VerifyTurns> turns_;
  std::unique_ptr<VerifyThreads> threads_;  // verify_async
  std::uint64_t writes_ = 0, wrong_ = 0;
  bool reading_back_ = false;
};

}  // namespace fathom::run::checks
