// verify= in a run, as the loops use it. Writes are sealed before they are issued (verify/block.h), and reads are
// judged when they complete (verify_judge.h). After the measured phase the written data is read back, in the same
// order, through the same loop; with verify_backlog some of it between the writes (verify_turns.h).
// The seed of a write's contents follows from the run and from the write's number. The header contains seed and number.
// Data that a run reads back must be from its last write there; otherwise that write was lost. Overwritten places are
// not checked. If the order is unknown, only a complete block of this run is required, or not even that. The record
// contains how much was compared with what.
// A wrong block is an I/O that failed with EILSEQ, in the worker's record. The reads of a mixed job are not checked, as
// in fio: they may meet blocks that were never written. Blocks that fathom wrote before it used fio's format are read
// too (workload/bytes/verify.h). Only the loops' paced variants use it.
// Thread rule: one owner, the worker. No allocation after between() except for wrong data and failed writes.
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

// kept: the state of this job's writes. followed: the state for the read-back. Both outlive this. nullptr: no state.
struct VerifyState {
  StateKeeper* kept = nullptr;
  const FollowedState* followed = nullptr;
  bool is_exact() const;  // the state identifies the exact writes
};

class Verification {
 public:
  // For a job with verify=. Job and targets outlive this. generation: of this run, not 0.
  static base::Expected<Verification> make(const job::Job& job, std::span<const io::Target> targets,
                                           std::uint32_t job_index, std::uint64_t generation, bool others_write_there,
                                           VerifyState state = {});

  // verify_only: nothing is written, everything is read back.
  bool writes_nothing() const { return facts_->job.verify_only && facts_->job.mode.writes; }
  bool reads_back() const { return facts_->job.mode.writes && (facts_->job.do_verify || facts_->job.verify_only); }
  // The source of the job's requests, or one between it and the loop (VerifyTurns). record: counts the writes that are
  // not read back, such as overwritten ones. All outlive this.
  workload::Source* between(workload::Source& requests, records::WorkerRecord& record);
  // From now on reads are compared with what was written. Returns the source of these reads.
  workload::Source& begin_reading_back(records::WorkerRecord& record);
  // A request that was taken from the source and will not be issued, because the phase is over.
  void not_issued(const io::Request& request);

  // The last write at each place, if the job has a map of it; else nullptr.
  const Versions* last_writes() const { return facts_->versions ? &*facts_->versions : nullptr; }

  // Whether stamp() generates all bytes of a write. Otherwise it adds headers to the buffer's content.
  bool makes_contents() const { return facts_->makes_contents; }
  // Call it before a request is issued, `at_ns` after the job's start.
  void stamp(const io::Request& request, std::byte* buffer, std::uint64_t at_ns);
  // Call it when a request other than a read has ended. Always true.
  bool ended(const io::Request& request, bool well);
  // Call it when a read has ended without an error. False: it read wrong data, and the record states that. With
  // verify_async: true, and the record may follow later. The buffer's headers may be moved. first_target: index of the
  // request's first target among the job's.
  bool check(const io::Request& request, std::byte* buffer, records::WorkerRecord& record,
             std::uint32_t first_target = 0);
  // Waits until all data read has been checked, and records the results.
  void settle(records::WorkerRecord& record);
  // A zone was reset: what was written there is not read back.
  void data_gone(const io::Request& zone);
  std::uint64_t generation() const { return facts_->generation; }
  bool others_write_there() const { return facts_->others_write_there; }
  // verify_fatal, and wrong data was read.
  bool ends_job() const { return facts_->job.verify_fatal && wrong_ > 0; }

 private:
  struct Place {  // of a failed write
    std::uint16_t target = 0;
    std::uint64_t begin = 0, end = 0;
  };
  Verification(std::unique_ptr<VerifyFacts> facts, VerifyTools tools, StateKeeper* kept);
  std::uint64_t writes_to_read_back() const;
  void count_dry_run(records::WorkerRecord& record);
  bool failed_there(const io::Request& request) const;
  bool is_read_back(const io::Request& read, std::uint64_t number, records::WorkerRecord& record) const;
  Against against(const io::Request& read) const;
  bool book(const io::Request& read, const Judged& judged, records::WorkerRecord& record, std::uint32_t first_target);
  VerifyThreads::Told booking(records::WorkerRecord& record);

  std::unique_ptr<VerifyFacts> facts_;
  Judge judge_;
  StateKeeper* kept_;
  std::vector<Place> failed_;
  bool all_doubtful_ = false;  // more writes have failed than `failed_` can hold
  std::optional<workload::ReadBack> read_back_;
  io::PerDir<std::uint64_t> counted_{};  // verify_only: requests that are already in the record
  std::unique_ptr<VerifyTurns> turns_;
  std::unique_ptr<VerifyThreads> threads_;  // verify_async
  std::uint64_t writes_ = 0, wrong_ = 0;
  bool reading_back_ = false;
};

}  // namespace fathom::run::checks
