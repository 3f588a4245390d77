// Collects from the plans the facts that the breakdown needs about each worker.
#include "witness/run_split.h"

#include <fmt/format.h>

#include "io/engines.h"
#include "job/fields/submit.h"
#include "witness/reported_jobs.h"

namespace fathom::witness {
namespace {

std::string why_not(const job::Job& job) {
  if (const auto why = io::traits_of(job.ioengine).no_block_layer; !why.empty())
    return fmt::format("the job does not use the block layer: ioengine={}: {}", job.ioengine, why);
  if (job.gtod_reduce || (job.disable_clat && job.disable_lat && job.disable_slat))
    return "gtod_reduce and disable_*lat remove the timestamps that the breakdown needs";
  return "";
}

}  // namespace

RunSplit::RunSplit(std::span<const run::files::Plan> plans, host::placement::Placements& placements, Watch watch)
    : watch_(watch) {
  std::vector<DividedJob> jobs;
  std::vector<DividedWorker> workers;
  for (const auto& reported : reported_jobs(plans)) {
    jobs.push_back({reported.name, reported.number});
    for (const auto plan : reported.plans) {
      if (plans[plan].job.of<job::fields::Submit>().offload && cause_.empty())
        cause_ = "io_submit_mode=offload: iodepth threads do the I/O, and these threads are not traced";
      const auto why = why_not(plans[plan].job);
      if (why.empty())
        workers.push_back({plan, jobs.size() - 1});
      else if (cause_.empty())
        cause_ = why;
    }
  }
  if (workers.empty()) return;
  split_ = std::make_unique<JoinedSplit>(plans, std::move(jobs), std::move(workers), placements, watch);
}

void RunSplit::begin(const run::WorkerViews& workers) {
  if (split_) split_->begin(workers);
}

void RunSplit::end() {
  if (split_) split_->end();
}

result::Breakdown RunSplit::breakdown() const {
  result::Breakdown out;
  out.mode = watch_ == Watch::slices ? result::BreakdownMode::slices : result::BreakdownMode::all;
  if (split_) out = split_->breakdown();
  out.asked = true;
  if (out.cause.empty()) out.cause = cause_;
  if (out.cause.empty() && out.classes.empty()) out.cause = "no I/O of the job was traced";
  return out;
}

}  // namespace fathom::witness
