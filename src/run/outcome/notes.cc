// The worker's notes and the job's, as findings.
#include "run/outcome/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "job/fields/submit.h"

namespace fathom::run::outcome {

void add_notes(const Worker& m, result::Run& run) {
  const auto add = [&](const char* id, std::string evidence, const char* remedy) {
    run.findings.push_back({id, result::Severity::warning, m.plan->job.name, std::move(evidence), remedy});
  };
  const auto& job = m.plan->job;
  if (m.record->ended_in_ramp)
    add("run.ended_in_ramp", "the work was done before ramp_time was over: what is reported was measured in the ramp",
        "raise size= or lower ramp_time=");
  if (m.record->prerun_status != 0)
    add("run.left_out",
        fmt::format("exec_prerun ended with status {}: the job was left out, as with fio, and the exit status does not "
                    "tell",
                    m.record->prerun_status),
        "its output is in the job's .prerun.txt");
  if (m.record->without_map)
    add("run.without_random_map", "there was no memory for the random map, and softrandommap=1 let the job go without",
        "lower size=, raise the smallest bs, or write random_generator=lfsr, which needs no map");
  if (m.record->measured.clock_steps_back > 0)
    add("clock.stepped_back",
        fmt::format("the clock stepped back during {} I/Os, which have no latency",
                    m.record->measured.clock_steps_back),
        "use clocksource=clock_gettime");
  if (!m.plan->failed &&
      std::all_of(m.plan->targets.begin(), m.plan->targets.end(), [](const auto& t) { return t.length == 0; }))
    add("run.empty_window", "offset_increment leaves this clone nothing of its targets",
        "lower numjobs= or offset_increment=");
  const auto paced = [&](std::size_t d) { return job.rate_iops[d] != 0 || job.rate_bytes_per_s[d] != 0; };
  if (job.mode.reads && job.mode.writes && paced(0) != paced(1))
    add("rate.one_direction",
        "only one direction of a mix has a rate: the drawn mix holds the other to it (fio lets it run ahead)",
        "give both a rate, or make two jobs");
  if (m.record->by_state[0] != 0)
    run.findings.push_back({"verify.by_state", result::Severity::note, job.name, m.record->by_state,
                            "the others were not read back; bytes of those in flight or failed count as withheld"});
  for (const auto& note : m.record->note) {
    if (note[0] == 0) continue;
    // A note that names a command in backticks says itself how to have it.
    const bool mends = std::string_view(note).find("`fathom ") != std::string_view::npos;
    add("engine.fallback", note,
        mends ? "run that command as root, and the job again"
              : "the job ran without it; `--enghelp` lists what the engine can do");
  }
}

void add_option_findings(const std::vector<files::Plan>& plans, result::Run& run) {
  int section = -1;
  for (const auto& plan : plans) {
    if (plan.job.section == section) continue;
    section = plan.job.section;
    for (const auto& name : plan.job.ignored)
      run.findings.push_back({"option.ignored", result::Severity::note, plan.job.name,
                              fmt::format("`{}` was accepted and has no effect", name),
                              "see docs/compat.md for what it would need"});
    for (const auto& note : plan.job.notes)
      run.findings.push_back({"option.reading", result::Severity::note, plan.job.name, note,
                              "write it another way if that is not what you meant"});
  }
}

void add_stamp_findings(const std::vector<files::Plan>& plans, result::Run& run) {
  int section = -1;
  for (const auto& plan : plans) {
    if (!plan.job.of<job::fields::Submit>().offload || plan.job.section == section) continue;
    section = plan.job.section;
    run.findings.push_back({"run.no_stamps", result::Severity::note, plan.job.name,
                            "io_submit_mode=offload: single I/Os of its threads are not written down, so there is no "
                            "breakdown of the job and no line for each I/O",
                            "leave io_submit_mode= out to see them"});
  }
}

}  // namespace fathom::run::outcome
