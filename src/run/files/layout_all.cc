// Lays out each job that shares no file in a separate thread.
#include "run/files/layout_all.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include "job/fields/files.h"

namespace fathom::run::files {
namespace {

bool shares_a_file(const Plan& one, const Plan& other) {
  return std::any_of(one.targets.begin(), one.targets.end(), [&](const PlannedTarget& t) {
    return std::any_of(other.targets.begin(), other.targets.end(), [&](const auto& o) { return o.path == t.path; });
  });
}

bool goes_alone(const std::vector<Plan>& plans, std::size_t i) {
  if (plans[i].failed || plans[i].job.of<job::fields::FileOptions>().create_serialize) return false;
  return std::none_of(plans.begin(), plans.end(),
                      [&](const Plan& plan) { return &plan != &plans[i] && shares_a_file(plans[i], plan); });
}

}  // namespace

std::vector<std::optional<base::Expected<LaidOut>>> lay_out_jobs(std::vector<Plan>& plans,
                                                                 const LayoutListener& listener,
                                                                 const std::atomic<std::uint32_t>& stop,
                                                                 const DescriptorLook& look) {
  std::mutex hears;
  const LayoutListener one_at_a_time = [&](const LayoutProgress& progress) {
    const std::lock_guard<std::mutex> lock(hears);
    if (listener) listener(progress);
  };
  std::vector<std::optional<base::Expected<LaidOut>>> made(plans.size());
  const auto lay = [&](std::size_t i) {
    if (!plans[i].failed && stop.load() == 0) made[i] = lay_out(plans[i], one_at_a_time, stop, look);
  };
  std::vector<bool> alone(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) alone[i] = goes_alone(plans, i);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (alone[i]) threads.emplace_back(lay, i);
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (!alone[i]) lay(i);
  for (auto& thread : threads) thread.join();
  return made;
}

}  // namespace fathom::run::files
