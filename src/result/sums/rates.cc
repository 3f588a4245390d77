// See rates.h.
#include "result/sums/rates.h"

#include <algorithm>

#include "result/measured.h"

namespace fathom::result::sums {
namespace {

// A sum of jobs stores the sum of its members' times, so the mean is used.
std::uint64_t job_time_ms(const Job& job) {
  return job.job_runtime_ms / static_cast<std::uint64_t>(std::max(job.members, 1));
}

}  // namespace

void RateSum::add(const Direction& direction) {
  ios_ += direction.ios, data_ios_ += direction.ios;
  bytes_ += direction.bytes;
  only_latencies_ |= direction.ios == 0 && direction.bytes == 0 && has_samples(direction);
  constexpr std::uint64_t kMs = 1'000'000;
  const std::uint64_t runtime_ns = direction.runtime_ns > 0 ? direction.runtime_ns : direction.runtime_ms * kMs;
  longest_ns_ = std::max(longest_ns_, runtime_ns);
  if (!direction.begin_ns || !direction.end_ns) return void(begins_known_ = false);
  begin_ns_ = std::min(begin_ns_, *direction.begin_ns);
  end_ns_ = std::max(end_ns_, *direction.end_ns);
}

void RateSum::add_syncs(const Job& job) {
  if (job.sync_ios == 0) return;
  Direction all;
  // Syncs belong to the writes, so the time of reading back is excluded.
  const bool reads_back = job.read_back_ns > 0 && job.dirs[1].runtime_ns > 0;
  for (std::size_t d = reads_back ? 1 : 0; d < kDirs; ++d) merge_times(all, job.dirs[d]);
  if (all.runtime_ns == 0 && all.runtime_ms == 0) all.runtime_ms = job_time_ms(job);
  all.ios = job.sync_ios;
  add(all);
  data_ios_ -= all.ios;  // a sync has no bytes
}

std::uint64_t RateSum::time_ns() const {
  return begins_known_ && end_ns_ > begin_ns_ ? std::max(end_ns_ - begin_ns_, longest_ns_) : longest_ns_;
}

std::optional<double> RateSum::per_second(std::uint64_t count) const {
  const std::uint64_t time = time_ns();
  if (time == 0) return std::nullopt;
  return static_cast<double>(count) * 1e9 / static_cast<double>(time);
}

RateSum rate_of(const Direction& direction) {
  RateSum sum;
  sum.add(direction);
  return sum;
}

void merge_times(Direction& into, const Direction& from) {
  const bool first = into.runtime_ns == 0 && into.ios == 0;
  into.runtime_ms = std::max(into.runtime_ms, from.runtime_ms);
  into.runtime_ns = std::max(into.runtime_ns, from.runtime_ns);
  if (from.runtime_ns == 0) return;  // unused
  if (first) {
    into.begin_ns = from.begin_ns, into.end_ns = from.end_ns;
  } else if (into.begin_ns && into.end_ns && from.begin_ns && from.end_ns) {
    into.begin_ns = std::min(*into.begin_ns, *from.begin_ns), into.end_ns = std::max(*into.end_ns, *from.end_ns);
  } else {
    into.begin_ns = into.end_ns = std::nullopt;
  }
}

}  // namespace fathom::result::sums
