// Requests of a verifying job between its own ones: verify_backlog reads back what has been written so far, and
// trim_backlog trims some of it again. verify_policy=fsynced must know which writes were issued before which fsync.
// This is a source between the job's own one and the loop. It returns one request at a time: when the loop asks for the
// next one, the last one has been issued.
//
// Requests to read back or trim are generated again from the seed (workload/read_back.h), so nothing is stored,
// regardless of how much has been written. The numbers of writes determine which ones are trimmed. A write that is
// still in flight is skipped and comes later. (fio reads it anyway, or stops there: issues 792 and 1756 of its
// project.) A write that is to be trimmed is read at the end only. If a later write reaches a place during its read,
// the judgement detects that (Against::mid_run).
// Thread rule: the worker's. No allocation after the constructor.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "run/checks/verify_judge.h"
#include "run/checks/writes_in_flight.h"
#include "workload/read_back.h"
#include "workload/source.h"

namespace fathom::run::checks {

class VerifyTurns final : public workload::Source {
 public:
  // wanted: whether a write, given as a read with its number, is to be read back now. All arguments outlive this.
  using Wanted = std::function<bool(const io::Request&, std::uint64_t)>;
  VerifyTurns(workload::Source& requests, VerifyFacts& facts, Wanted wanted);
  // Other jobs use only their own source.
  static bool needed(const VerifyFacts& facts);

  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override { return requests_.begin_pass(); }

  // Call it when a write is issued.
  void issued(const io::Request& write, std::uint64_t number) { in_flight_.issued(write, number); }
  void ended(const io::Request& request, bool well);
  // The request that next() returned last was not issued.
  void not_issued(const io::Request& request);

  // Writes from this number on are not read back (verify_policy=fsynced).
  std::uint64_t fsynced() const { return policy_ == job::fields::VerifyPolicy::fsynced ? fsynced_ : ~std::uint64_t{0}; }
  // Whether that write's place contains zeroes, and nothing has been written there since. read: noted.
  bool is_trimmed(const io::Request& read) const;
  bool may_be_trimmed(std::uint64_t number) const;
  const workload::ReadBack& reads() const { return reads_; }
  // From now on next() returns the remaining read-back of `writes` writes, in blocks.
  void begin_the_end(std::uint64_t writes);

 private:
  std::optional<io::Request> read_between();
  std::optional<io::Request> trim_between(bool all);
  std::optional<io::Request> next_trim();
  bool can_be_trimmed(const io::Request& write) const;
  std::size_t rest(std::span<io::Request> out);

  workload::Source& requests_;
  VerifyFacts& facts_;
  const Wanted wanted_;
  const job::fields::VerifyPolicy policy_;
  WritesInFlight in_flight_;
  workload::ReadBack reads_;
  std::optional<workload::ReadBack> trims_, trimmed_;  // to be trimmed; the same, to be read at the end
  const std::uint64_t selecting_;                      // seed that selects the writes to trim
  std::vector<io::Request> put_off_, trims_put_off_;   // noted reads: in flight when it was their turn
  std::vector<std::uint64_t> syncs_;                   // in flight: the number of writes issued before each
  std::uint64_t issued_ = 0, fsynced_ = 0, reads_left_ = 0, trims_left_ = 0, since_trims_ = 0;
  io::Request block_[kBlock], last_trim_;
  std::size_t at_ = 0, made_ = 0;
  bool at_the_end_ = false;
};

}  // namespace fathom::run::checks
