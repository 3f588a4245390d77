// Looked at twice: at the begin and at the end.
#include "session/jobs/limits.h"

#include <algorithm>

#include "audit/machine/limit_checks.h"
#include "base/time.h"
#include "host/io_limits.h"
#include "host/placement/limited_disks.h"
#include "job/fields/process_options.h"

namespace fathom::session::jobs {

Limits::Limits(std::span<const run::files::Plan> plans, const std::vector<host::placement::Placement>& targets)
    : any_disk_(!targets.empty()) {
  for (const auto& plan : plans)
    if (const auto& own = plan.job.of<job::fields::Cgroup>(); !own.name.empty()) groups_.push_back(own.name);
  host::placement::LimitedDisks limited;
  for (const auto& target : targets) limited.add(target);
  disks_ = limited.numbers();
}

void Limits::look_for_io_limits() {
  if (!any_disk_) return;
  for (auto& limit : host::io_limits(groups_, disks_))
    if (std::find(io_limits_.begin(), io_limits_.end(), limit) == io_limits_.end())
      io_limits_.push_back(std::move(limit));
}

void Limits::begin() {
  before_ = host::cpu_quotas(groups_);
  look_for_io_limits();
  began_ns_ = base::monotonic_ns();
}

void Limits::end() {
  if (began_ns_ == 0) return;
  ended_ns_ = base::monotonic_ns();
  after_ = host::cpu_quotas(groups_);
  look_for_io_limits();
}

std::vector<result::Finding> Limits::findings() const {
  return audit::machine::limit_findings(host::added(before_, after_), io_limits_,
                                        static_cast<double>(ended_ns_ - began_ns_));
}

}  // namespace fathom::session::jobs
