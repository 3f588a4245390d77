// Jobs that a stonewall stands before begin when those before them are over.
#include "sweep/job_facts.h"

#include <algorithm>

#include "job/fields/think.h"

namespace fathom::sweep {
namespace {

constexpr double kSecond_ns = 1e9;
constexpr std::size_t kWrite = 1;

std::uint64_t directions(const io::Mode& mode) {
  return (mode.reads ? 1u : 0u) + (mode.writes ? 1u : 0u) + (mode.trims ? 1u : 0u);
}

std::optional<double> seconds_of(const job::Job& job) {
  if (job.runtime_ns == 0) return std::nullopt;
  return static_cast<double>(job.startdelay_ns + job.ramp_ns + job.runtime_ns) / kSecond_ns;
}

// By its rate, or by its size where it ends with that.
std::optional<double> bytes_of(const job::Job& job) {
  if (!job.changes_targets()) return 0;
  std::optional<double> least;
  const auto bound = [&](double bytes) { least = std::min(least.value_or(bytes), bytes); };
  if (job.runtime_ns > 0) {
    const double seconds = static_cast<double>(job.ramp_ns + job.runtime_ns) / kSecond_ns;
    if (job.rate_bytes_per_s[kWrite] > 0) bound(static_cast<double>(job.rate_bytes_per_s[kWrite]) * seconds);
    if (job.rate_iops[kWrite] > 0)
      bound(static_cast<double>(job.rate_iops[kWrite]) * static_cast<double>(job.bs_max[kWrite]) * seconds);
  }
  const auto& size = job.io_size.set ? job.io_size : job.size;
  if (!job.time_based && size.set && size.percent == 0)
    bound(static_cast<double>(size.bytes) * static_cast<double>(job.loops));
  return least;
}

}  // namespace

JobFacts facts_of(const job::JobSet& jobs) {
  JobFacts facts;
  facts.seconds = facts.bytes = 0;
  std::optional<double> group = 0;
  const auto end_group = [&] {
    if (facts.seconds && group) *facts.seconds += *group;
    if (!group) facts.seconds.reset();
    group = 0;
  };
  for (const auto& job : jobs.jobs) {
    if (job.stonewall) end_group();
    const auto seconds = seconds_of(job);
    group = group && seconds ? std::optional(std::max(*group, *seconds)) : std::nullopt;
    const auto bytes = bytes_of(job);
    facts.bytes = facts.bytes && bytes ? std::optional(*facts.bytes + *bytes) : std::nullopt;
    facts.writes = facts.writes || job.changes_targets();
    facts.streams += directions(job.mode);
    facts.paced = facts.paced || job.paced();
    facts.paced_by_poisson =
        facts.paced_by_poisson || job.of<job::fields::Think>().process == job::fields::RateProcess::poisson;
    facts.own_seed = facts.own_seed && job.randseed == 0;
    facts.simulated = facts.simulated && job.ioengine == "sim";
  }
  end_group();
  facts.streams = std::max<std::uint64_t>(facts.streams, 1);
  return facts;
}

}  // namespace fathom::sweep
