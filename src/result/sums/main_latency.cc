// See main_latency.h.
#include "result/sums/main_latency.h"

#include <algorithm>
#include <tuple>

namespace fathom::result::sums {
namespace {

std::uint64_t samples(const Direction& d) { return std::max(d.lat.moments_ns.n, d.clat.moments_ns.n); }

bool has_percentiles(const Latency& latency) {
  return !latency.histogram_ns.empty() || !latency.percentiles_ns.empty();
}

// True if nearly every I/O has a due time. A backward step of the clock removes that time, so 1 % may be missing.
bool all_due(const Direction& d) {
  const std::uint64_t due = d.intended_lat.moments_ns.n;
  return due > 0 && due + samples(d) / 100 >= samples(d);
}

}  // namespace

MainLatency main_latency(const Direction& direction) {
  if (all_due(direction)) return {"intended_lat", &direction.intended_lat};
  const auto& [lat, clat] = std::tie(direction.lat, direction.clat);
  if (lat.moments_ns.n > 0 && (has_percentiles(lat) || !has_percentiles(clat))) return {"lat", &lat};
  return {"clat", &clat};
}

std::vector<const Direction*> main_latency_parts(const Run& run, const Job& job, std::size_t dir) {
  const auto& own = job.dirs[dir];
  std::vector<const Direction*> parts;
  if (own.intended_lat.moments_ns.n > 0 && !all_due(own) && job.members > 1) {
    std::size_t first = 0;
    for (const auto& other : run.jobs) {
      if (&other == &job) break;
      if (other.members > 1) first += static_cast<std::size_t>(other.members);
    }
    for (std::size_t i = first; i < first + static_cast<std::size_t>(job.members); ++i)
      if (i < run.group_members.size() && run.group_members[i].dirs[dir].ios > 0)
        parts.push_back(&run.group_members[i].dirs[dir]);
  }
  if (parts.empty()) parts.push_back(&own);
  return parts;
}

bool lacks_due(const Job& job) {
  const auto asks = [&](double asked) { return asked > 0; };
  const bool known = std::any_of(std::begin(job.rate.asked_iops), std::end(job.rate.asked_iops), asks) ||
                     std::any_of(std::begin(job.rate.asked_bytes_per_s), std::end(job.rate.asked_bytes_per_s), asks);
  return job.rate.paced && !known;
}

}  // namespace fathom::result::sums
