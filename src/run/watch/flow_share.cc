// Assigns jobs to flows, and keeps the sums of each flow.
#include "run/watch/flow_share.h"

namespace fathom::run::watch {

Flows::Flows(const std::vector<const job::fields::Flow*>& jobs) : parts_(jobs.size()), sums_(jobs.size()) {
  for (const auto* job : jobs) {
    jobs_.push_back(*job);
    if (job->weight != 0) sum_of_.emplace(job->id, sum_of_.size());
  }
  for (std::size_t i = 0; i < sum_of_.size(); ++i) sums_[i].ios.store(1);
}

std::unique_ptr<FlowTurn> Flows::turn(std::size_t job) {
  const auto& flow = jobs_[job];
  if (flow.weight == 0) return nullptr;
  return std::make_unique<FlowTurn>(sums_[sum_of_.at(flow.id)], parts_[job], flow.sleep_ns);
}

void Flows::join(std::size_t job) {
  const auto& flow = jobs_[job];
  if (flow.weight == 0) return;
  parts_[job].weight.store(flow.weight);
  sums_[sum_of_.at(flow.id)].weights.fetch_add(flow.weight);
}

void Flows::leave(std::size_t job) {
  if (const auto own = turn(job)) own->leave();
}

}  // namespace fathom::run::watch
