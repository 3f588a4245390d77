// Which of the nvme loops a job gets.
#include "loops/nvme.h"

namespace fathom::loops {
namespace {

base::Error no_such_loop(const job::Job& job, std::string cause, std::string help) {
  base::Error e;
  e.what = "job `" + job.name + "`: no loop is built for its nvme_ options";
  e.cause = std::move(cause);
  e.help = std::move(help);
  e.place = job.place;
  return e;
}

base::Error not_plain(const job::Job& job) {
  return no_such_loop(
      job, "ablations are built for the CPU clock, fathom's stamps, and jobs without a rate, verify= and fill= only",
      "drop the nvme_ options, or rate=, thinktime=, verify=, fill=, clocksource= and --stamps");
}

struct Choice {
  NvmeLoop loop;
  bool plain_only;  // compiled for plain_form() alone
};

base::Expected<Choice> choose(const job::Job& job) {
  const auto policy = engine::userspace::choose_policy(job.engine, job.iodepth);
  if (!engine::userspace::cpu_can(policy.copy))
    return no_such_loop(job, "this CPU has no instruction for that nvme_sq_copy=", "write nvme_sq_copy=auto");
  if (policy == engine::userspace::kPlainPolicy) return Choice{nvme_words_loop, false};
  if (policy == engine::userspace::kDeepPolicy) return Choice{nvme_nontemporal_loop, false};
  for (const auto rows : {nvme_copy_rows(), nvme_trick_rows()})
    for (const auto& row : rows)
      if (row.policy == policy) return Choice{row.loop, true};
  return no_such_loop(
      job, "one trick at a time can be changed, beside nvme_sq_copy=nontemporal (auto is that from iodepth=8 on)",
      "give one of the nvme_ options, and iodepth=8 or more");
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
