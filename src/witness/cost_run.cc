// A cross-check can begin only once, so each slice creates a new one. Its results are discarded.
#include "witness/cost_run.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "job/fields/start.h"
#include "witness/cost/job_meter.h"
#include "witness/cost/looks.h"
#include "witness/reported_jobs.h"
#include "witness/witness_list.h"

namespace fathom::witness {
namespace {

using pmu::trace::programs::Sliced;

// It selects no I/Os: it either counts or does not.
class Counting : public Sliced {
 public:
  Counting(std::function<WitnessList()> list, std::string name) : list_(std::move(list)), name_(std::move(name)) {}
  ~Counting() override { forget(); }
  base::Expected<void> attach() override {
    all_ = list_();
    for (auto& witness : all_.witnesses)
      if (witness->name() == name_) one_ = std::move(witness);
    all_.witnesses.clear();
    if (!one_) return base::system_error(name_ + " is gone", 0);
    auto begun = one_->begin();
    if (!begun) forget();
    return begun;
  }
  void detach() override {
    one_->end();
    forget();
  }
  void watch(bool) override {}
  bool any_in_flight() override { return false; }
  void give_up() override {}

 private:
  void forget() {
    one_.reset();  // before the sources that it reads
    all_ = {};
  }
  std::function<WitnessList()> list_;
  std::string name_;
  WitnessList all_;
  std::unique_ptr<result::Witness> one_;
};

}  // namespace

CostRun::CostRun(const job::Command& command, const std::vector<run::files::Plan>& plans,
                 host::placement::Placements& placements)
    : command_(command), plans_(plans), placements_(placements) {
  if (command.breakdown != job::Command::Breakdown::none)
    split_ = std::make_unique<RunSplit>(plans, placements, Watch::by_another);
  if (std::find(command.audit.begin(), command.audit.end(), "off") == command.audit.end()) add_audit();
}

void CostRun::add_audit() {
  const auto list = [this] { return list_witnesses(command_, plans_, placements_); };
  auto all = list();
  Witnesses looks;
  for (auto& witness : all.witnesses) {
    if (witness->burdens())
      watchers_.push_back({witness->name(), std::make_unique<Counting>(list, witness->name()), ""});
    else
      looks.push_back(std::move(witness));
  }
  if (!looks.empty())
    watchers_.push_back({"audit", std::make_unique<cost::Looks>(std::move(looks)), "", cost::kLooksShare});
  else if (watchers_.empty() && !all.facts.missing.empty())
    watchers_.push_back({"audit", nullptr, all.facts.missing.front().text()});
  for (const auto& none : all.facts.missing)
    if (none.name == kPciePmu) watchers_.push_back({none.name, nullptr, none.why});
}

// Call after the breakdown has begun: only then is it known whether there is one.
void CostRun::add_split() {
  if (!split_) return;
  auto toggle = split_->toggle();
  const std::string cause = toggle ? "" : split_->breakdown().cause;
  watchers_.push_back({"breakdown", std::move(toggle), cause});
  std::rotate(watchers_.begin(), watchers_.end() - 1, watchers_.end());
}

bool CostRun::any() const {
  return (split_ && split_->desk() != nullptr) ||
         std::any_of(watchers_.begin(), watchers_.end(), [](const auto& w) { return w.toggle != nullptr; });
}

void CostRun::begin(const run::WorkerViews& workers) {
  if (split_) split_->begin(workers);
  add_split();
  std::vector<cost::MeteredJob> jobs;
  for (const auto& reported : reported_jobs(plans_)) {
    run::WorkerViews own;
    bool paced = false;
    for (const auto plan : reported.plans) {
      own.push_back(workers[plan]);
      paced |= is_paced(plans_[plan].job);
    }
    jobs.push_back({reported.name, reported.number, cost::JobMeter(std::move(own), std::nullopt), paced});
  }
  driver_ = std::make_unique<cost::CostDriver>(std::move(watchers_), std::move(jobs));
  driver_->begin();
}

void CostRun::end() {
  if (!driver_) {
    add_split();
    driver_ = std::make_unique<cost::CostDriver>(std::move(watchers_), std::vector<cost::MeteredJob>());
  }
  driver_->end();
}

std::vector<result::WatcherCost> CostRun::costs() const { return driver_->costs(); }

std::vector<run::files::Plan> for_cost(std::vector<run::files::Plan> plans, std::uint64_t each_ns) {
  for (auto& plan : plans) {
    auto& job = plan.job;
    job.time_based = true;
    job.runtime_ns = each_ns;
    job.ramp_ns = 0;
    job.own.get<job::fields::Start>().ramp_bytes = 0;
    job.number_ios = 0;
    job.do_verify = false;
  }
  return plans;
}

}  // namespace fathom::witness
