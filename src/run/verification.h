// verify= in a run: what the loops ask of it. Writes are sealed before they go out (verify/block.h), reads are held
// against the headers when they come, and after the measured phase what was written is read back, in the same order,
// through the same loop. The seed of a write's contents follows from the run and from the write's number, which both
// stand in its header: what a run reads back must be the last write that it made there, or that write never arrived.
// Which one was the last follows from the order of the writes where each place is written once, else from a map
// (versions.h); of places that have been written over nothing is demanded, and where the order is not known nothing but
// a whole block of this run, or not even that. The record says how much was held against what. A block that is wrong is
// an I/O that failed with EILSEQ, in the worker's record. The reads of a mixed job are not checked, as in fio: they may
// meet blocks that nobody has written. Blocks that fathom wrote before it had fio's format are read too
// (workload/verify.h). Only the loops' paced variants know of it. Thread rule: one owner, the worker. No allocation
// after the constructor but for what is wrong.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/request.h"
#include "io/target.h"
#include "job/job.h"
#include "run/record.h"
#include "run/verify_plan.h"
#include "run/versions.h"
#include "workload/read_back.h"

namespace fathom::run {

class Verification {
 public:
  // For a job with verify=; it and the targets outlive this. generation: of this run, not 0.
  static base::Expected<Verification> make(const job::Job& job, std::span<const io::Target> targets,
                                           std::uint32_t job_index, std::uint64_t generation, bool others_write_there);
  Verification(VerifyTools tools, std::optional<Versions> versions, const job::Job& job,
               std::span<const io::Target> targets, std::uint32_t job_index, std::uint64_t generation,
               bool others_write_there);

  // verify_only: nothing is written, all of it is read back.
  bool writes_nothing() const { return job_.verify_only && job_.mode.writes; }
  bool reads_back() const { return read_back_.has_value(); }
  // From now on reads are held against what was written; the source that makes them. record: where writes are counted
  // that are not read back, for others came after them.
  workload::Source& begin_reading_back(WorkerRecord& record);

  // Whether stamp() makes all bytes of a write. Otherwise it puts headers into what the buffer has.
  bool makes_contents() const { return makes_contents_; }
  // A request that is about to be issued, so many ns after the job's start.
  void stamp(const io::Request& request, std::byte* buffer, std::uint64_t at_ns);
  // A request other than a read has ended. Always true.
  bool ended(const io::Request& request, bool well);
  // A read that has ended well; false: what it read is wrong, and the record says so. The buffer's headers may be
  // moved. first_target: of the targets among the job's.
  bool check(const io::Request& request, std::byte* buffer, WorkerRecord& record, std::uint32_t first_target = 0);
  std::uint64_t generation() const { return generation_; }
  bool others_write_there() const { return others_write_there_; }
  bool fatal() const { return job_.verify_fatal; }

 private:
  struct Place {  // of failed writes
    std::uint16_t target = 0;
    std::uint64_t begin = 0, end = 0;
  };
  bool own_run() const { return job_.mode.writes && !job_.verify_only; }
  bool old_block_well(const io::Request& request, std::span<const std::byte> io, std::uint32_t interval,
                      WorkerRecord& record, std::uint32_t first_target) const;
  bool failed_there(const io::Request& request) const;
  bool is_read_back(const io::Request& read, std::uint64_t number, WorkerRecord& record) const;
  // Of the bytes [offset, offset + length) of a write that is read back.
  Versions::Last demanded(const io::Request& read, std::uint64_t offset, std::uint64_t length) const;
  verify::Verdict of_these_writes(const io::Request& read, std::span<std::byte> io, WorkerRecord& record);
  // Goes from `first` to `end`: the first interval whose header is of another write than is demanded, or `end`.
  std::uint32_t first_stranger(const io::Request& read, std::span<const std::byte> io, std::uint32_t first,
                               std::uint32_t end, verify::Verdict& verdict, WorkerRecord& record) const;
  // What happened to a block that is wrong, in words; empty: nothing tells it.
  std::string damage_of(const io::Request& read, std::span<const std::byte> io, const verify::Verdict& verdict);
  // What should be there, with headers at the start of intervals; empty: not known.
  std::vector<std::byte> wanted_of(const io::Request& read, std::size_t length, const verify::Verdict& verdict);
  bool well_now(const io::Request& read, bool past_the_cache);
  bool is_of(const verify::Header& header, const Versions::Last& last, verify::Verdict& verdict) const;
  std::uint64_t seed_of(std::uint64_t numberio, std::uint16_t thread) const;
  // The error's record, or null: there are enough.
  ErrorRecord* tell(const char* text, const io::Request& request, WorkerRecord& record,
                    std::uint32_t first_target) const;

  const job::Job& job_;
  const std::span<const io::Target> targets_;
  VerifyTools tools_;
  const std::uint64_t generation_;
  const std::uint16_t thread_;
  const bool makes_contents_, others_write_there_;
  std::optional<Versions> versions_;  // none: each place is written once
  std::vector<Place> failed_;
  bool all_doubtful_ = false;  // more writes have failed than `failed_` holds
  std::optional<workload::ReadBack> read_back_;
  std::uint64_t writes_ = 0;
  bool reading_back_ = false;
};

}  // namespace fathom::run
