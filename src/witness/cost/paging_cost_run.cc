// The programs are loaded once, and attached again for each slice.
#include "witness/cost/paging_cost_run.h"

#include <algorithm>
#include <utility>

#include "host/block_witness.h"
#include "pmu/trace/device_time_witness.h"
#include "witness/cost/access_meter.h"
#include "witness/cost/looks.h"

namespace fathom::witness::cost {
namespace {

using paging::memory::Medium;

constexpr char kAccesses[] = "accesses";

std::string words_of(const base::Error& error) {
  return error.what + (error.cause.empty() ? "" : ": " + error.cause) + (error.help.empty() ? "" : "; " + error.help);
}

Watcher timer_of(const Medium& medium) {
  Watcher watcher{result::kDeviceTimeOf + (medium.disk.empty() ? medium.path : medium.disk), nullptr, medium.cause};
  if (medium.disk.empty()) return watcher;
  auto toggle = pmu::trace::DeviceTimeWitness::toggle(medium.disk, paging::memory::area_of(medium));
  watcher.cause = toggle ? "" : words_of(toggle.error());
  if (toggle) watcher.toggle = std::move(*toggle);
  return watcher;
}

std::vector<std::string> disks_of(const std::vector<Medium>& media) {
  std::vector<std::string> disks;
  for (const auto& medium : media)
    if (!medium.disk.empty()) disks.push_back(medium.disk);
  std::sort(disks.begin(), disks.end());
  disks.erase(std::unique(disks.begin(), disks.end()), disks.end());
  return disks;
}

}  // namespace

bool PagingCostRun::any() const { return !disks_of(media_).empty(); }

void PagingCostRun::begin(const paging::Touchers& touchers) {
  std::vector<Watcher> watchers;
  for (const auto& medium : media_) watchers.push_back(timer_of(medium));
  Looks::Witnesses looks;
  looks.push_back(host::make_block_witness(disks_of(media_)));
  watchers.push_back({"audit", std::make_unique<Looks>(std::move(looks)), "", kLooksShare});
  std::vector<MeteredJob> jobs{{kAccesses, 0, AccessMeter(touchers), touchers.paced}};
  driver_ = std::make_unique<CostDriver>(std::move(watchers), std::move(jobs));
  driver_->begin();
}

void PagingCostRun::end() {
  if (driver_) driver_->end();
}

std::vector<result::WatcherCost> PagingCostRun::costs() const {
  if (driver_) return driver_->costs();
  std::vector<Watcher> nobody;
  for (const auto& medium : media_) nobody.push_back({result::kDeviceTimeOf + medium.path, nullptr, medium.cause});
  if (media_.empty()) nobody.push_back({"audit", nullptr, "this memory has no swap and no disk: no probe is needed"});
  return CostDriver(std::move(nobody), {}).costs();
}

}  // namespace fathom::witness::cost
