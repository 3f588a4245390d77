// A probe that cannot begin is gone afterwards, so what it said is what ProbeThread kept of it.
#include "cli/paging_witness.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "audit/paging_checks.h"
#include "host/block_probe.h"
#include "paging/direct_read.h"

namespace fathom::cli {
namespace {

// The device's time without tracepoints: some reads of it now.
result::DeviceTime read_directly(const result::PagingSwap& swap, std::string why) {
  paging::DirectReadPlan plan;
  plan.path = swap.path;
  plan.disk = swap.disk;
  plan.size_bytes = swap.size_bytes;
  auto read = paging::direct_reads(plan);
  if (!read) {
    result::DeviceTime none;
    none.device = swap.disk;
    none.cause = (why.empty() ? "" : why + "; ") + "no direct reads: " + read.error().what;
    return none;
  }
  if (!why.empty()) read->cause = read->cause.empty() ? why : why + "; " + read->cause;
  return *read;
}

}  // namespace

PagingWitness::PagingWitness(const std::vector<result::PagingSwap>& swaps, bool audit, bool times) : audit_(audit) {
  if (!audit && !times) return;
  std::copy_if(swaps.begin(), swaps.end(), std::back_inserter(swaps_), [](const auto& s) { return !s.disk.empty(); });
}

void PagingWitness::begin() {
  ProbeThread::Probes probes;
  std::vector<std::string> disks;
  for (const auto& swap : swaps_) {
    const bool part = swap.path != "/dev/" + swap.disk;
    auto timer = std::make_unique<pmu::DeviceTimeProbe>(swap.disk, part ? swap.path : "");
    timers_.push_back(timer.get());
    probes.push_back(std::move(timer));
    disks.push_back(swap.disk);
  }
  std::sort(disks.begin(), disks.end());
  disks.erase(std::unique(disks.begin(), disks.end()), disks.end());
  if (audit_ && !disks.empty()) probes.push_back(host::make_block_probe(std::move(disks)));
  watch_.begin(std::move(probes));
}

void PagingWitness::end() {
  watch_.end();
  for (std::size_t i = 0; i < timers_.size(); ++i) {
    const bool began = std::any_of(watch_.ended.begin(), watch_.ended.end(),
                                   [&](const auto& probe) { return probe.get() == timers_[i]; });
    result::DeviceTime seen;
    if (began) seen = timers_[i]->device_time();
    if (began && seen.read_ns.moments_ns.n > 0)
      devices_.push_back(std::move(seen));
    else
      devices_.push_back(read_directly(swaps_[i], seen.cause));
  }
}

void PagingWitness::complete(result::Run& run) {
  run.paging->devices = devices_;
  if (!audit_) return;
  run.audit = audit::reconcile_paging(run, watch_.counts);
  run.audit->missing.insert(run.audit->missing.end(), watch_.missing.begin(), watch_.missing.end());
  run.findings.insert(run.findings.end(), watch_.findings.begin(), watch_.findings.end());
}

}  // namespace fathom::cli
