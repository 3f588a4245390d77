// Selects the nvme loop of a job.
#include "loops/nvme.h"

#include <fmt/format.h>

namespace fathom::loops {

// Used by programs that are not linked with fathom_ablations (cmake/ablations.cmake).
[[gnu::weak]] std::span<const NvmeRow> nvme_ablation_rows() { return {}; }

namespace {

// The conditions of the plain form that depend only on the job, before it runs.
bool plain_job(const job::Job& job) {
  const bool cpu_clock = job.clocksource == job::ClockSource::automatic || job.clocksource == job::ClockSource::cpu;
  return cpu_clock && !job.paced() && job.thinktime_ns == 0 && !job.verify && job.fill == job::Fill::stamped &&
         run::loop::stamping_of(job) == PlainForm::kStamps;
}

bool plain_form(const LoopContext& context) { return plain_job(context.job) && PlainForm::fits(context); }

base::Error no_such_loop(const job::Job& job, std::string cause, std::string help) {
  base::Error e;
  e.what = "job `" + job.name + "`: unsupported combination of nvme_ options";
  e.cause = std::move(cause);
  e.help = std::move(help);
  e.place = job.place;
  return e;
}

base::Error not_plain(const job::Job& job) {
  return no_such_loop(
      job, "these options need the CPU clock, fathom's timestamps, and a job without a rate, verify= and fill=",
      "omit the nvme_ options, or rate=, thinktime=, verify=, fill=, clocksource= and --stamps");
}

base::Error bench_build_only(const job::Job& job) {
  auto e =
      no_such_loop(job, "the option disables or adds an optimization of the driver, which only a bench build contains",
                   "omit it, or build fathom with `cmake -DFATHOM_ABLATIONS=ON`");
  e.what =
      fmt::format("job `{}`: {} is only in a bench build", job.name, engine::userspace::ablation_option(job.engine));
  return e;
}

struct Choice {
  NvmeLoop loop;
  bool plain_only;  // compiled only for plain_form()
};

base::Expected<Choice> choose(const job::Job& job) {
  const auto policy = engine::userspace::choose_policy(job.engine, job.iodepth);
  if (!engine::userspace::cpu_can(policy.copy))
    return no_such_loop(job, "this CPU has no instruction for that nvme_sq_copy=", "write nvme_sq_copy=auto");
  if (policy == engine::userspace::kPlainPolicy) return Choice{nvme_words_loop, false};
  if (policy == engine::userspace::kDeepPolicy) return Choice{nvme_nontemporal_loop, false};
  const auto ablations = nvme_ablation_rows();
  if (ablations.empty()) return bench_build_only(job);
  for (const auto& row : ablations)
    if (row.policy == policy) return Choice{row.loop, true};
  return no_such_loop(job,
                      "one optimization at a time can be changed, besides nvme_sq_copy=nontemporal (which auto means "
                      "from iodepth=8 on)",
                      "write one of the nvme_ options, and iodepth=8 or more");
}

base::Expected<void> check(const job::Job& job) {
  const auto choice = choose(job);
  if (!choice) return choice.error();
  if (choice->plain_only && !plain_job(job)) return not_plain(job);
  return {};
}

base::Expected<void> drive(LoopContext& context) {
  const auto choice = choose(context.job);
  if (!choice) return choice.error();
  if (choice->plain_only && !plain_form(context)) return not_plain(context.job);
  return choice->loop(context);
}

}  // namespace

const EngineLoop nvme_engine{drive, check};

}  // namespace fathom::loops
