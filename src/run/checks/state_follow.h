// verify_state_load=1: what a job reads back according to the state that an earlier run has left. Acknowledged writes
// must be there. Writes that were in flight or failed are skipped, and writes not issued are not read.
// With a state that fathom saved, the exact writes are required: it identifies their run, and places with overlapping
// writes are known. With fio's state, blocks only have to be complete, and only jobs that go through their files in
// order can use it: fio's random offsets differ from fathom's.
// Thread rule: one owner, the worker. No allocation after load().
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "io/target.h"
#include "job/job.h"
#include "run/checks/versions.h"
#include "run/records/record.h"
#include "verify/block.h"
#include "verify/state/state_standing.h"
#include "workload/source.h"

namespace fathom::run::checks {

// NAME.state, or NAME.live if a later run was killed before it could save a state (verify/state/state_live.h). Errors:
// those of verify::state::load_state and load_live.
base::Expected<verify::state::State> newest_state(const std::string& state_path);

class FollowedState {
 public:
  // For a job with verify_state_load=1. Errors (io, usage): no complete state; the state of another job.
  static base::Expected<FollowedState> load(const job::Job& job, std::uint32_t job_index,
                                            std::span<const io::Target> targets);

  // The exact writes are required.
  bool is_exact() const { return exact_; }
  // No write is required by its number.
  bool order_unknown() const { return state_.own && state_.own->is(verify::state::OwnRun::kOrderUnknown); }
  std::uint64_t generation() const { return state_.own ? state_.own->generation : 0; }
  std::uint64_t writes_issued() const { return state_.writes_issued; }

  // The job with the header format of the writing job.
  job::Job as_written(const job::Job& job) const;

  // Whether this write is read back. Otherwise counts its bytes, unless it was not issued, and records fio's line where
  // fio would stop.
  bool is_read_back(const io::Request& read, std::uint64_t number, records::WorkerRecord& record) const;
  // Whether to accept wrong data, because it may be from a write that was in flight: versions 3 and 4 do not show that.
  // A wrong digest is never accepted.
  bool excuses(const io::Request& read, const verify::Verdict& verdict) const;
  // Fills `versions` with the writes of the state. Places of writes in flight, failed or without order become unknown.
  void repeat_writes(const job::Job& job, std::uint32_t job_index, std::span<const io::Target> targets,
                     Versions& versions) const;
  // The job that made the writes, if they must be repeated to judge a read: some places were written more than once, or
  // the reads come in another order. Else `job`.
  const job::Job& writer(const job::Job& job) const { return writer_ ? *writer_ : job; }
  bool needs_map() const { return writer_.has_value(); }
  // Adds a line for the report.
  void describe(records::WorkerRecord& record) const;

 private:
  FollowedState(verify::state::State state, std::uint32_t iodepth, bool exact);
  verify::state::AskedWrite asked(const io::Request& read, std::uint64_t number) const {
    return {number, read.target, read.offset};
  }
  verify::state::State state_;
  verify::state::Standings standings_;
  bool exact_;
  std::optional<job::Job> writer_;
};

// The reads of a job that does not write. Without a map of the last writes, the nth read is of the nth write.
class FollowedReads final : public workload::Source {
 public:
  // All must outlive this object. last_writes: may be nullptr.
  FollowedReads(workload::Source& reads, const FollowedState& state, records::WorkerRecord& record, bool paced,
                const Versions* last_writes)
      : reads_(reads), state_(state), record_(record), last_writes_(last_writes), paced_(paced) {}
  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override;

 private:
  bool follow(io::Request& read);
  workload::Source& reads_;
  const FollowedState& state_;
  records::WorkerRecord& record_;
  const Versions* const last_writes_;
  const bool paced_;  // a paced read has its due time where the number would be
  std::uint64_t number_ = 0;
};

}  // namespace fathom::run::checks
