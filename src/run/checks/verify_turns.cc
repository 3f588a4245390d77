// Decides which request comes next: one of the job, a read to verify, or a trim.
#include "run/checks/verify_turns.h"

#include <algorithm>

#include "base/prng.h"

namespace fathom::run::checks {
namespace {

bool writes(const VerifyFacts& facts) { return facts.job.mode.writes && !facts.job.verify_only; }
bool reads_any(const VerifyFacts& facts) { return writes(facts) && facts.options.reads_between(); }
bool trims_any(const VerifyFacts& facts) { return facts.job.mode.writes && facts.options.trims_between(); }
bool waits_for_syncs(const VerifyFacts& facts) {
  return writes(facts) && facts.options.policy == job::fields::VerifyPolicy::fsynced;
}

// Removes and returns the first request with a write that is no longer in flight.
std::optional<io::Request> take_ready(std::vector<io::Request>& list, const WritesInFlight& in_flight) {
  const auto at = std::find_if(list.begin(), list.end(),
                               [&](const io::Request& read) { return !in_flight.has(io::noted_write(read)); });
  if (at == list.end()) return std::nullopt;
  const io::Request ready = *at;
  list.erase(at);
  return ready;
}

}  // namespace

bool VerifyTurns::needed(const VerifyFacts& facts) {
  return reads_any(facts) || trims_any(facts) || waits_for_syncs(facts) ||
         (writes(facts) && facts.versions && facts.job.mode.trims);
}

VerifyTurns::VerifyTurns(workload::Source& requests, VerifyFacts& facts, Wanted wanted)
    : requests_(requests),
      facts_(facts),
      wanted_(std::move(wanted)),
      policy_(facts.options.policy),
      in_flight_(facts.job.iodepth),
      reads_(facts.writes()),
      selecting_(facts.job.randseed + facts.index) {
  put_off_.reserve(facts.job.iodepth + 1);
  trims_put_off_.reserve(facts.job.iodepth + 1);
  syncs_.reserve(facts.job.iodepth + 1);
  reads_.only_where([this](const io::Request& read, std::uint64_t number) {
    return !may_be_trimmed(number) && wanted_(read, number);
  });
  if (!trims_any(facts)) return;
  const auto selected = [this](const io::Request&, std::uint64_t number) { return may_be_trimmed(number); };
  trims_.emplace(facts.writes()).only_where(selected);
  trimmed_.emplace(facts.writes()).only_where([this](const io::Request& read, std::uint64_t number) {
    return may_be_trimmed(number) && wanted_(read, number);
  });
}

bool VerifyTurns::may_be_trimmed(std::uint64_t number) const {
  if (!trims_any(facts_)) return false;
  std::uint64_t state = selecting_ ^ (number * 0x9e3779b97f4a7c15ull);
  return ((base::splitmix64(state) >> 32) * 100 >> 32) < facts_.options.trim_percentage;
}

bool VerifyTurns::is_trimmed(const io::Request& read) const {
  const std::uint64_t number = io::noted_write(read);
  if (!may_be_trimmed(number) || !writes(facts_)) return false;
  if (facts_.versions) return facts_.versions->is_trimmed(read);
  return number < trims_->passed() && std::none_of(trims_put_off_.begin(), trims_put_off_.end(),
                                                   [&](const auto& put) { return io::noted_write(put) == number; });
}

std::optional<io::Request> VerifyTurns::read_between() {
  if (!reads_any(facts_)) return std::nullopt;
  const auto backlog = facts_.options.backlog, batch = facts_.options.backlog_batch;
  if (reads_left_ == 0 && issued_ - reads_.passed() >= backlog) reads_left_ = batch == 0 ? backlog : batch;
  while (reads_left_ > 0) {
    if (const auto ready = take_ready(put_off_, in_flight_)) {
      --reads_left_;
      return ready;
    }
    const bool full = put_off_.size() == put_off_.capacity();
    const auto read = full ? std::nullopt : reads_.next_below(std::min(issued_, fsynced()));
    if (!read) break;
    if (!in_flight_.has(io::noted_write(*read))) {
      --reads_left_;
      return read;
    }
    put_off_.push_back(*read);
  }
  reads_left_ = 0;
  return std::nullopt;
}

// False if the place has been overwritten, or the order of its writes is unknown: such a place is not trimmed.
bool VerifyTurns::can_be_trimmed(const io::Request& write) const {
  if (!facts_.versions) return true;
  const auto last = facts_.versions->last(write.target, write.offset, write.length);
  return last.standing == Versions::Standing::one && last.number == io::noted_write(write);
}

std::optional<io::Request> VerifyTurns::next_trim() {
  while (true) {
    auto write = take_ready(trims_put_off_, in_flight_);
    if (!write) write = trims_->next_below(issued_);
    if (!write) return std::nullopt;
    if (in_flight_.has(io::noted_write(*write))) {
      trims_put_off_.push_back(*write);
      if (trims_put_off_.size() == trims_put_off_.capacity()) return std::nullopt;
    } else if (can_be_trimmed(*write)) {
      return write;
    }
  }
}

// all: the pass is over, so all remaining trims are due.
std::optional<io::Request> VerifyTurns::trim_between(bool all) {
  if (!trims_ || facts_.job.verify_only) return std::nullopt;
  const auto backlog = facts_.options.trim_backlog, batch = facts_.options.trim_backlog_batch;
  if (trims_left_ == 0 && since_trims_ >= backlog) {
    trims_left_ = batch == 0 ? backlog : batch;
    since_trims_ = 0;
  }
  if (trims_left_ == 0 && !all) return std::nullopt;
  auto trim = next_trim();
  if (!trim) {
    trims_left_ = 0;
    return std::nullopt;
  }
  if (trims_left_ > 0) --trims_left_;
  last_trim_ = *trim;
  trim->dir = io::Dir::trim;
  trim->due_ns = 0;
  in_flight_.issued(*trim, io::noted_write(last_trim_));
  if (facts_.versions) facts_.versions->trim_issued(*trim);
  return trim;
}

std::size_t VerifyTurns::next(std::span<io::Request> out) {
  if (at_the_end_) return rest(out);
  auto between = read_between();
  if (!between) between = trim_between(false);
  if (between) return out[0] = *between, 1;
  if (at_ == made_) {
    at_ = 0;
    made_ = requests_.next({block_, kBlock});
  }
  if (at_ == made_) {
    if (const auto trim = trim_between(true)) return out[0] = *trim, 1;
    return 0;
  }
  const io::Request& own = out[0] = block_[at_++];
  if (own.dir == io::Dir::write) {
    ++issued_;
    ++since_trims_;
  } else if (own.dir == io::Dir::trim && facts_.versions) {
    facts_.versions->trim_issued(own);
  } else if (own.dir == io::Dir::sync && (own.flags & io::kRangeSyncMask) == 0) {
    if (syncs_.size() < syncs_.capacity()) syncs_.push_back(issued_);
  }
  return 1;
}

void VerifyTurns::ended(const io::Request& request, bool well) {
  if (request.dir == io::Dir::write || request.dir == io::Dir::trim) in_flight_.ended(request);
  if (request.dir != io::Dir::sync || (request.flags & io::kRangeSyncMask) != 0 || syncs_.empty()) return;
  // the oldest sync: the request does not show which one ended
  if (well) fsynced_ = std::max(fsynced_, syncs_.front());
  syncs_.erase(syncs_.begin());
}

void VerifyTurns::not_issued(const io::Request& request) {
  if (request.dir == io::Dir::read && io::is_noted(request)) put_off_.push_back(request);
  if (request.dir == io::Dir::sync && !syncs_.empty()) syncs_.pop_back();
  if (request.dir == io::Dir::write && issued_ > 0) --issued_;
  if (request.dir != io::Dir::trim) return;
  in_flight_.ended(request);
  if (facts_.versions)
    facts_.versions->ended(request, false);
  else if (trims_)
    trims_put_off_.push_back(last_trim_);
}

void VerifyTurns::begin_the_end(std::uint64_t writes) {
  at_the_end_ = true;
  reads_.limit(writes);
  if (trimmed_) trimmed_->limit(writes);
}

// Returns reads that had to wait, then the reads that are still due, then reads of trimmed places.
std::size_t VerifyTurns::rest(std::span<io::Request> out) {
  if (!put_off_.empty()) {
    out[0] = put_off_.back();
    put_off_.pop_back();
    return 1;
  }
  const std::size_t made = reads_.next(out);
  return made > 0 || !trimmed_ ? made : trimmed_->next(out);
}

}  // namespace fathom::run::checks
