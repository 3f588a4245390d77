// A probe that cannot be switched on gets no further turn, and its cause is kept.
#include "witness/cost/cost_driver.h"

#include <utility>

#include "base/time.h"

namespace fathom::witness::cost {
namespace {

result::WatcherCost row_of(const Watcher& watcher) {
  result::WatcherCost row;
  row.watcher = watcher.name;
  row.cost.from = result::CostFrom::cost_run;
  row.cost.cause = watcher.cause;
  return row;
}

}  // namespace

CostDriver::CostDriver(std::vector<Watcher> watchers, std::vector<MeteredJob> jobs)
    : watchers_(std::move(watchers)), jobs_(std::move(jobs)), costs_(watchers_.size()), prng_(base::monotonic_ns()) {
  for (auto& of_watcher : costs_)
    for (const auto& job : jobs_) of_watcher.emplace_back(job.meter);
}

void CostDriver::begin() {
  choose_next();
  if (now_ == nullptr) return;
  tell(Moment::unwatched_from);
  thread_.begin();
}

void CostDriver::choose_next() {
  if (to_come_.empty())
    for (auto& watcher : watchers_)
      if (watcher.toggle && watcher.cause.empty()) to_come_.push_back(&watcher);
  if (to_come_.empty()) return;  // the last probe keeps its turns, which do nothing
  const auto drawn = to_come_.begin() + static_cast<std::ptrdiff_t>(prng_.below(to_come_.size()));
  now_ = *drawn;
  to_come_.erase(drawn);
}

void CostDriver::tell(Moment moment) {
  for (auto& cost : costs_[static_cast<std::size_t>(now_ - watchers_.data())]) cost.at(moment);
}

base::Expected<void> CostDriver::attach() {
  tell(Moment::unwatched_to);
  on_ = false;
  if (!now_->cause.empty()) return {};
  if (auto attached = now_->toggle->attach(); !attached)
    now_->cause = attached.error().what + (attached.error().cause.empty() ? "" : ": " + attached.error().cause);
  else
    on_ = true;
  return {};
}

void CostDriver::detach() {
  if (on_) now_->toggle->detach();
  on_ = false;
}

void CostDriver::watch(bool on) {
  if (!on_) return;
  if (on) tell(Moment::watched_from);
  now_->toggle->watch(on);
  if (!on) tell(Moment::watched_to);
}

void CostDriver::over() {
  tell(Moment::over);
  choose_next();
  tell(Moment::unwatched_from);
}

std::vector<result::WatcherCost> CostDriver::costs() const {
  std::vector<result::WatcherCost> rows;
  for (std::size_t w = 0; w < watchers_.size(); ++w) {
    const auto& watcher = watchers_[w];
    if (!watcher.cause.empty()) {
      rows.push_back(row_of(watcher));
      continue;
    }
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      auto row = row_of(watcher);
      row.job = jobs_[j].name;
      row.job_number = jobs_[j].number;
      row.cost = to_result(costs_[w][j].sum(), jobs_[j].paced, watcher.share);
      row.cost.from = result::CostFrom::cost_run;
      if (row.cost.by == result::CostBy::nothing)
        row.cost.cause = "the probe run ended before two slices were complete";
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace fathom::witness::cost
