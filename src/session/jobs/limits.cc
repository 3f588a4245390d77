// CPU limits count what they stop; I/O limits do not, so they are looked at again and again.
#include "session/jobs/limits.h"

#include <algorithm>

#include "base/time.h"
#include "host/placement/limited_disks.h"
#include "host/proc/text_file.h"
#include "job/fields/process_options.h"
#include "result/sums/rates.h"

namespace fathom::session::jobs {

Limits::Limits(std::span<const run::files::Plan> plans, const std::vector<host::placement::Placement>& targets)
    : any_disk_(!targets.empty()) {
  for (const auto& plan : plans)
    if (const auto& own = plan.job.of<job::fields::Cgroup>(); !own.name.empty()) groups_.push_back(own.name);
  host::placement::LimitedDisks limited;
  for (const auto& target : targets) limited.add(target);
  disks_ = limited.numbers();
}

void Limits::see_io_limits(Moment moment) {
  if (!any_disk_) return;
  const auto now = host::io_limits(groups_, disks_);
  for (auto& seen : io_limits_) {
    const bool is_active = std::find(now.begin(), now.end(), seen.limit) != now.end();
    seen.throughout &= is_active;
    if (moment == Moment::end) seen.at_end = is_active;
  }
  for (const auto& limit : now)
    if (std::none_of(io_limits_.begin(), io_limits_.end(), [&](const auto& seen) { return seen.limit == limit; }))
      io_limits_.push_back({limit, moment == Moment::begin, moment == Moment::end, moment == Moment::begin});
}

namespace {
host::proc::CpuTimes cpu_times() { return host::proc::parse_cpu_times(host::proc::read_text("/proc/stat", 4096)); }
}  // namespace

void Limits::begin() {
  before_ = host::cpu_quotas(groups_);
  see_io_limits(Moment::begin);
  cpus_before_ = cpu_times();
  began_ns_ = base::monotonic_ns();
}

void Limits::end() {
  if (began_ns_ == 0) return;
  ended_ns_ = base::monotonic_ns();
  cpus_after_ = cpu_times();
  after_ = host::cpu_quotas(groups_);
  see_io_limits(Moment::end);
}

void Limits::look() { see_io_limits(Moment::between); }

std::vector<result::Finding> Limits::findings(const result::Run& run) const {
  audit::machine::Achieved achieved;
  for (std::size_t d = 0; d < 2; ++d) {
    result::sums::RateSum rate;
    for (const auto& job : run.jobs) rate.add(job.dirs[d]);
    achieved.bytes_per_s[d] = rate.bytes_per_s().value_or(0), achieved.iops[d] = rate.iops().value_or(0);
  }
  auto found = audit::machine::limit_findings(host::added(before_, after_), io_limits_,
                                              static_cast<double>(ended_ns_ - began_ns_), achieved);
  for (auto& finding : audit::machine::steal_findings(cpus_before_, cpus_after_)) found.push_back(std::move(finding));
  return found;
}

}  // namespace fathom::session::jobs
