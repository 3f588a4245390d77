// verify_state_load=1: what a job reads back by the state that another run of it has left. Writes that were
// acknowledged must be there; those that were in flight or failed are passed over, and those that were not issued are
// not read. Of a state that fathom saved the very writes are demanded, for it says which run made them, and places where
// writes overlapped are known. Of fio's state blocks have only to be whole, and only jobs that go through their files in
// order can follow it: fio's random offsets are not fathom's.
// Thread rule: one owner, the worker. No allocation after load().
#pragma once
#include <cstdint>
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

// NAME.state, or NAME.live where a later run was killed before it could save one (verify/state/state_live.h).
// Errors: of verify::state::load_state and load_live.
base::Expected<verify::state::State> newest_state(const std::string& state_path);

class FollowedState {
 public:
  // Of a job with verify_state_load=1. Errors (io, usage): there is no whole state; it is of another job.
  static base::Expected<FollowedState> load(const job::Job& job, std::uint32_t job_index,
                                            std::span<const io::Target> targets);

  // The very writes are demanded.
  bool is_exact() const { return exact_; }
  // Nothing is demanded by its number.
  bool order_unknown() const { return state_.own && state_.own->is(verify::state::OwnRun::kOrderUnknown); }
  std::uint64_t generation() const { return state_.own ? state_.own->generation : 0; }
  std::uint64_t writes_issued() const { return state_.writes_issued; }

  // The job with the headers of the one that wrote.
  job::Job as_written(const job::Job& job) const;

  // Whether this write is read back; what is not is counted, and where fio would end it says so.
  bool is_read_back(const io::Request& read, std::uint64_t number, records::WorkerRecord& record) const;
  // What is wrong where it should be, but may be of a write that was in flight: version 3 does not tell.
  bool excuses(const io::Request& read, const verify::Verdict& verdict) const;
  // The versions that the writes left: those in flight, failed or without order are of places where nothing is known.
  void repeat_writes(const job::Job& job, std::uint32_t job_index, std::span<const io::Target> targets,
                     Versions& versions) const;
  // A line for the report.
  void describe(records::WorkerRecord& record) const;

 private:
  FollowedState(verify::state::State state, std::uint32_t iodepth, bool exact);
  verify::state::AskedWrite asked(const io::Request& read, std::uint64_t number) const {
    return {number, read.target, read.offset};
  }
  verify::state::State state_;
  verify::state::Standings standings_;
  bool exact_;
};

// The reads of a job that does not write: the nth is taken to be of the nth write.
class FollowedReads final : public workload::Source {
 public:
  FollowedReads(workload::Source& reads, const FollowedState& state, records::WorkerRecord& record, bool paced)
      : reads_(reads), state_(state), record_(record), paced_(paced) {}
  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override;

 private:
  workload::Source& reads_;
  const FollowedState& state_;
  records::WorkerRecord& record_;
  const bool paced_;  // where the number would stand is when the read is due
  std::uint64_t number_ = 0;
};

}  // namespace fathom::run::checks
