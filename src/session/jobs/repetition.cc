// Seeds that are far from each other, and never 0, because 0 means no seed.
#include "session/jobs/repetition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/prng.h"
#include "job/fields/verify.h"
#include "job/option.h"
#include "workload/seed.h"

namespace fathom::session::jobs {
namespace {

using run::files::Plan;

void set_seed(job::Job& job, std::uint64_t seed) {
  job.randseed = seed;
  job.seeds.assign({{"randseed", fmt::format("{}", seed)}});
}

bool verifies_elsewhere(const Plan& plan) {
  const auto& options = plan.job.of<job::fields::VerifyOptions>();
  return plan.job.verify && (!plan.job.changes_targets() || !plan.job.do_verify || options.state_load ||
                             options.state_save.value_or(false));
}

}  // namespace

void fix_seeds(std::vector<Plan>& plans) {
  for (std::uint32_t i = 0; i < plans.size(); ++i) {
    auto& job = plans[i].job;
    if (!job.randrepeat && job.randseed == 0) set_seed(job, workload::job_seed(job, i) | 1);
  }
}

std::vector<Plan> repetition(std::vector<Plan> plans, unsigned number) {
  if (number == 0) return plans;
  const bool kept = std::any_of(plans.begin(), plans.end(), verifies_elsewhere);
  for (auto& plan : plans) {
    auto& job = plan.job;
    std::uint64_t state = job.randseed + number * 0xd1342543de82ef95ull;
    if (!job.verify || !kept) set_seed(job, (base::splitmix64(state) >> 1) | 1);
    job::reseed_engine(job, number);
  }
  return plans;
}

}  // namespace fathom::session::jobs
