// A cross-check that cannot begin is destroyed, so its reason comes from WitnessThread.
#include "witness/paging_witness.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "audit/paging/paging_checks.h"
#include "host/block_witness.h"
#include "paging/memory/direct_read.h"
#include "witness/cost/access_meter.h"

namespace fathom::witness {
namespace {

std::string both(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + "; " + second;
}

result::DeviceTime no_time(const paging::memory::Medium& medium, const std::string& why, bool needs_privilege) {
  result::DeviceTime none;
  none.device = medium.disk;
  none.cause = both(medium.cause, why);
  none.needs_privilege = needs_privilege;
  return none;
}

// The device's latency if there are no tracepoints (`seen` has the reason): does some reads of the device now.
result::DeviceTime read_directly(const paging::memory::Medium& medium, const result::DeviceTime& seen) {
  const auto& why = seen.cause;
  if (medium.path.empty())
    return no_time(medium, both(why, "no direct reads: the device has no path"), seen.needs_privilege);
  paging::memory::DirectReadPlan plan;
  plan.path = medium.path;
  plan.disk = medium.disk;
  plan.size_bytes = medium.size_bytes;
  auto read = paging::memory::direct_reads(plan);
  if (!read)
    return no_time(medium, both(why, "no direct reads: " + read.error().what),
                   seen.needs_privilege || needs_privilege(read.error()));
  read->cause = both(why, read->cause);
  read->needs_privilege = seen.needs_privilege;
  return *read;
}

// The reason why the timer of a disk could not begin. The audit has it too, but there may be no audit.
void say_why_missing(const std::vector<result::Missing>& missing, const std::string& disk, result::DeviceTime& time) {
  const auto none = std::find_if(missing.begin(), missing.end(),
                                 [&](const auto& each) { return each.name == result::kDeviceTimeOf + disk; });
  if (none == missing.end()) return;
  time.cause = none->why;
  time.needs_privilege = none->needs_privilege;
}

}  // namespace

PagingWitness::PagingWitness(std::vector<paging::memory::Medium> media, bool audit, bool times) : audit_(audit) {
  if (audit || times) media_ = std::move(media);
}

void PagingWitness::begin(const paging::Touchers& touchers) {
  paced_ = touchers.paced;
  WitnessThread::Witnesses witnesses;
  std::vector<std::string> disks;
  for (const auto& medium : media_) {
    timers_.push_back(nullptr);
    costs_.push_back(std::make_unique<cost::WatchingCost>(cost::AccessMeter(touchers)));
    if (medium.disk.empty()) continue;
    auto timer = std::make_unique<pmu::trace::DeviceTimeWitness>(medium.disk, paging::memory::area_of(medium));
    timer->tell([cost = costs_.back().get()](stats::SliceMoment moment) { cost->at(moment); });
    timers_.back() = timer.get();
    witnesses.push_back(std::move(timer));
    disks.push_back(medium.disk);
  }
  std::sort(disks.begin(), disks.end());
  disks.erase(std::unique(disks.begin(), disks.end()), disks.end());
  if (audit_ && !disks.empty()) witnesses.push_back(host::make_block_witness(disks));
  watch_.begin(std::move(witnesses));
}

result::DeviceTime PagingWitness::time_of(std::size_t i, std::uint64_t majors) const {
  const auto& medium = media_[i];
  if (timers_[i] == nullptr) return no_time(medium, "", false);
  const bool began =
      std::any_of(watch_.ended.begin(), watch_.ended.end(), [&](const auto& p) { return p.get() == timers_[i]; });
  result::DeviceTime seen;
  if (began)
    seen = timers_[i]->device_time();
  else
    say_why_missing(watch_.missing, medium.disk, seen);
  if (began && seen.read_ns.moments_ns.n > 0) {
    seen.cause = both(medium.cause, seen.cause);
    seen.watching = cost_of(i);
    return seen;
  }
  if (majors > 0) return read_directly(medium, seen);
  seen.device = medium.disk;
  seen.cause = both(medium.cause, both(seen.cause, "no page of the run came from this device"));
  return seen;
}

result::WatchingCost PagingWitness::cost_of(std::size_t i) const {
  auto cost = cost::to_result(costs_[i]->sum(), paced_);
  if (cost.by == result::CostBy::nothing)
    cost.cause = "the probe traced all or almost all of the run: `--cost` measures its overhead";
  return cost;
}

void PagingWitness::end(std::uint64_t majors) {
  watch_.end();
  for (std::size_t i = 0; i < media_.size(); ++i) devices_.push_back(time_of(i, majors));
}

void PagingWitness::complete(result::Run& run) {
  run.paging->devices = devices_;
  if (!audit_) return;
  run.audit = audit::paging::reconcile_paging(run, watch_.counts);
  for (const auto& none : watch_.missing) run.audit->missing.push_back(none.text());
  run.findings.insert(run.findings.end(), watch_.findings.begin(), watch_.findings.end());
}

}  // namespace fathom::witness
