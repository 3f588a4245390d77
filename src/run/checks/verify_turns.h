// What a verifying job does between its own requests: verify_backlog reads back what has been written so far, trim_backlog
// trims some of it again, and verify_policy=fsynced has to know what was issued before which fsync. A source between the
// job's own and the loop, which hands out one request at a time: when it is asked for the next, the last has been issued.
//
// What is read back or trimmed is made again from the seed (workload/read_back.h), so however much has been written
// nothing is kept of it. Which writes are trimmed follows from their numbers. A write that is still in flight is stepped
// over and comes later (fio reads it all the same, or stops there: issues 792 and 1756 of its project); one that is to
// be trimmed is read at the end only. That a later write has come meanwhile to a place that was being read is seen when
// the read is judged (Against::mid_run).
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
  // wanted: whether a write, as a read and with its number, is worth reading back now. All outlive it.
  using Wanted = std::function<bool(const io::Request&, std::uint64_t)>;
  VerifyTurns(workload::Source& requests, VerifyFacts& facts, Wanted wanted);
  // Jobs without any of it have their own source alone.
  static bool needed(const VerifyFacts& facts);

  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override { return requests_.begin_pass(); }

  // Of a write, when it goes out.
  void issued(const io::Request& write, std::uint64_t number) { in_flight_.issued(write, number); }
  void ended(const io::Request& request, bool well);
  // What was handed out last, and never went out.
  void not_issued(const io::Request& request);

  // Writes from this number on are not read back (verify_policy=fsynced).
  std::uint64_t fsynced() const { return policy_ == job::fields::VerifyPolicy::fsynced ? fsynced_ : ~std::uint64_t{0}; }
  // Whether that write's place holds zeroes by now, and nothing has been written there since. read: noted.
  bool is_trimmed(const io::Request& read) const;
  bool may_be_trimmed(std::uint64_t number) const;
  // From now on next() hands out what is left to read back, in blocks, of so many writes.
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
  std::optional<workload::ReadBack> trims_, trimmed_;  // what is to be trimmed; the same, to be read at the end
  const std::uint64_t selecting_;                      // draws which writes are trimmed
  std::vector<io::Request> put_off_, trims_put_off_;   // as reads, noted: in flight when it was their turn
  std::vector<std::uint64_t> syncs_;                   // in flight: how many writes had been issued before each
  std::uint64_t issued_ = 0, fsynced_ = 0, reads_left_ = 0, trims_left_ = 0, since_trims_ = 0;
  io::Request block_[kBlock], last_trim_;
  std::size_t at_ = 0, made_ = 0;
  bool at_the_end_ = false;
};

}  // namespace fathom::run::checks
