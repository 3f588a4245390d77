// From plans to what the split has to know of each worker.
#include "witness/run_split.h"

#include <fmt/format.h>

#include "io/engines.h"

namespace fathom::witness {
namespace {

std::string why_not(const job::Job& job) {
  if (const auto why = io::traits_of(job.ioengine).no_block_layer; !why.empty())
    return fmt::format("ioengine={}: {}", job.ioengine, why);
  if (job.gtod_reduce || (job.disable_clat && job.disable_lat && job.disable_slat))
    return "gtod_reduce and disable_*lat leave no stamps to begin from";
  return "";
}

clock::sources::Source source_of(const run::process::RunClocks& clocks, const job::Job& job) {
  return clocks.calibration(job).source;
}

}  // namespace

RunSplit::RunSplit(std::span<const run::files::Plan> plans, const run::process::RunClocks& clocks,
                   host::placement::Placements& placements, result::BreakdownMode mode)
    : logs_(mode == result::BreakdownMode::by_rate ? plans.size() : 0) {
  std::vector<DividedJob> jobs;
  std::vector<DividedWorker> workers;
  const job::Job* before = nullptr;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto& job = plans[i].job;
    // As the report has it: consecutive jobs of one group under group_reporting are one.
    const bool joined = before != nullptr && before->group_reporting && job.group_reporting &&
                        before->group_id == job.group_id && !jobs.empty();
    if (!joined) jobs.push_back({job.name, static_cast<int>(i)});
    before = &job;
    if (const auto why = why_not(job); !why.empty()) {
      if (cause_.empty()) cause_ = "no block layer is under the job: " + why;
      continue;
    }
    workers.push_back({i, jobs.size() - 1});
  }
  if (workers.empty()) return;
  if (mode == result::BreakdownMode::by_rate)
    follow(plans, clocks, placements, jobs, workers);
  else
    joined_ = std::make_unique<JoinedSplit>(plans, std::move(jobs), std::move(workers), placements, mode);
}

void RunSplit::follow(std::span<const run::files::Plan> plans, const run::process::RunClocks& clocks,
                      host::placement::Placements& placements, const std::vector<DividedJob>& jobs,
                      const std::vector<DividedWorker>& workers) {
  std::vector<pmu::trace::split::SplitJob> followed;
  followed.reserve(jobs.size());
  for (const auto& job : jobs) followed.push_back({job.name, job.number});
  std::vector<pmu::trace::split::SplitWorker> stamping;
  for (const auto& w : workers) {
    const auto& job = plans[w.worker].job;
    pmu::trace::split::SplitWorker worker{logs_.reader(w.worker),
                                          source_of(clocks, job),
                                          w.job,
                                          {},
                                          job.direct && !io::traits_of(job.ioengine).maps_files,
                                          job.sync_mode != job::SyncMode::none};
    for (const auto& target : plans[w.worker].targets)
      worker.targets.push_back(placements.of(target.path, job.mode.writes));
    stamping.push_back(std::move(worker));
  }
  witness_ = std::make_unique<pmu::trace::split::SplitWitness>(std::move(followed), std::move(stamping));
}

void RunSplit::begin() {
  if (joined_) joined_->begin();
  if (witness_) static_cast<void>(witness_->begin());  // the breakdown carries the cause
}

void RunSplit::end() {
  if (joined_) joined_->end();
  if (witness_) witness_->end();
}

result::Breakdown RunSplit::breakdown() const {
  result::Breakdown out;
  if (witness_) out = witness_->breakdown();
  if (joined_) out = joined_->breakdown();
  out.asked = true;
  if (out.cause.empty()) out.cause = cause_;
  return out;
}

}  // namespace fathom::witness
