// The run from the parent's side: lay out, start stage by stage, sample, stop, collect.
#include "run/runner.h"

#include <fmt/format.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>

#include "base/time.h"
#include "io/engines.h"
#include "run/cache_look.h"
#include "run/collect.h"
#include "run/crew.h"
#include "run/delivery.h"
#include "run/open_files.h"
#include "run/own_cost.h"
#include "run/pause.h"
#include "run/progress.h"
#include "run/setup_error.h"
#include "run/stages.h"

namespace fathom::run {
namespace {

// exitall: the first of a group to end takes the others with it.
void apply_exitall(Crew& crew, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const auto& m = crew.members()[i];
    if (m.ended && m.plan->job.exitall) crew.stop_group(m.plan->job.group_id);
  }
}

// group_reporting: consecutive jobs of one group are one entry of the report. One past the last of the entry of
// `first`.
std::size_t report_end(const std::vector<Member>& members, std::size_t first) {
  const auto& job = members[first].plan->job;
  std::size_t end = first + 1;
  while (job.group_reporting && end < members.size() && members[end].plan->job.group_id == job.group_id &&
         members[end].plan->job.group_reporting)
    ++end;
  return end;
}

// What the jobs of an entry of several do together, at the entry's first.
using EntrySeries = std::vector<Series>;

std::vector<std::size_t> entries_of(const std::vector<Member>& members) {
  std::vector<std::size_t> entry(members.size());
  for (std::size_t i = 0; i < members.size();)
    for (const std::size_t first = i, end = report_end(members, i); i < end; ++i) entry[i] = first;
  return entry;
}

void sample_stage(Crew& crew, std::size_t first, std::size_t last, std::uint32_t tick, EntrySeries& sums) {
  const std::uint64_t now = monotonic_ns();
  const auto entry = entries_of(crew.members());
  std::optional<SamplePoint> sum;
  for (std::size_t i = first; i < last; ++i) {
    const auto point = crew.members()[i].series.sample(*crew.members()[i].record, tick, now);
    if (point && sum)
      sum->merge(*point);
    else if (point)
      sum = point;
    const bool entry_over = i + 1 == last || entry[i + 1] != entry[i];
    const bool several = entry_over && report_end(crew.members(), entry[i]) > entry[i] + 1;
    if (several && sum) sums[entry[i]].add(*sum);
    if (entry_over) sum.reset();
  }
}

// Those whose depth is worth a look.
std::vector<std::size_t> members_with_queues(const Crew& crew, std::size_t first, std::size_t last) {
  std::vector<std::size_t> queues;
  for (std::size_t i = first; i < last; ++i) {
    const Plan& plan = *crew.members()[i].plan;
    if (io::traits_of(plan.job.ioengine).asynchronous && asked_depth(plan) > 1) queues.push_back(i);
  }
  return queues;
}

// Runs one stage to its end: sampling and progress on a fixed beat, an early wake-up when a worker ends.
void run_stage(Crew& crew, std::size_t first, std::size_t last, ProgressWatch& watch, std::uint32_t& tick,
               EntrySeries& sums, const RunOptions& options) {
  watch.begin_stage(first, last);
  crew.start(first, last);
  const auto queues = members_with_queues(crew, first, last);
  std::uint64_t next = monotonic_ns() + kSampleNs;
  std::uint64_t next_look = queues.empty() ? ~0ull : monotonic_ns() + kDepthSampleNs;
  while (crew.running(first, last) > 0) {
    const std::uint64_t now = monotonic_ns(), wake = std::min(next, next_look);
    const int left_ms = wake > now ? static_cast<int>((wake - now) / 1'000'000) + 1 : 0;
    if (crew.wait(left_ms)) apply_exitall(crew, first, last);
    if (options.stop->load() >= 2) crew.kill_all();
    if (monotonic_ns() >= next_look) {
      for (const auto i : queues) crew.members()[i].look_at_depth();
      next_look = monotonic_ns() + kDepthSampleNs;
    }
    if (monotonic_ns() < next) continue;
    sample_stage(crew, first, last, ++tick, sums);
    if (options.on_progress) options.on_progress(watch.look(crew));
    next += kSampleNs;
  }
}

void add_notes(const Member& m, result::Run& run) {
  const auto add = [&](const char* id, std::string evidence, const char* remedy) {
    run.findings.push_back({id, result::Severity::warning, m.plan->job.name, std::move(evidence), remedy});
  };
  const auto& job = m.plan->job;
  if (m.record->ended_in_ramp)
    add("run.ended_in_ramp", "the work was done before ramp_time was over: what is reported was measured in the ramp",
        "raise size= or lower ramp_time=");
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
  for (const auto& note : m.record->note) {
    if (note[0] == 0) continue;
    // A note that names a command in backticks says itself how to have it.
    const bool mends = std::string_view(note).find("`fathom ") != std::string_view::npos;
    add("engine.fallback", note,
        mends ? "run that command as root, and the job again"
              : "the job ran without it; `--enghelp` lists what the engine can do");
  }
}

void add_option_findings(const std::vector<Plan>& plans, result::Run& run) {
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

void report_jobs(Crew& crew, std::vector<result::Job> jobs, const EntrySeries& sums, result::Run& run) {
  auto& members = crew.members();
  for (std::size_t i = 0; i < jobs.size();) {
    const std::size_t end = report_end(members, i);
    if (end == i + 1) {
      run.jobs.push_back(std::move(jobs[i]));
    } else {
      std::vector<result::Job> part(std::make_move_iterator(jobs.begin() + static_cast<std::ptrdiff_t>(i)),
                                    std::make_move_iterator(jobs.begin() + static_cast<std::ptrdiff_t>(end)));
      run.jobs.push_back(sum_jobs(part, sums[i]));
      std::move(part.begin(), part.end(), std::back_inserter(run.group_members));
    }
    i = end;
  }
  run.groups = sum_groups(run.jobs);
}

// How far two CPUs' counters may be apart where no test has said it: the largest smallest gap that was ever seen.
constexpr double kUntestedOffset_ns = 200;

double unseen_offset_ns(const RunClocks& clocks, const std::vector<Plan>& plans) {
  double offset_ns = 0;
  for (const auto& plan : plans) offset_ns = std::max(offset_ns, clocks.facts(plan.job).detectable_ns);
  return offset_ns > 0 ? offset_ns : kUntestedOffset_ns;
}

// What is known of the clock when the run is over.
struct Afterwards {
  const RunClocks& clocks;
  std::optional<clock::Drift> drift;
  OwnCosts own_costs;
  CacheLook cache;
};

// This run's drift, and where an earlier run of this boot bounds the rate better and does not contradict it, that
// one's: of the same conversion, so that the two are of one thing.
void add_drift(const Afterwards& afterwards, const clock::Calibration& cpu, result::ClockFacts& clock) {
  const auto& own = *afterwards.drift;
  clock.drift_ppm = own.drift_ppm;
  clock.drift_bound_ppm = own.bound_ppm;
  const auto& boot = afterwards.clocks.boot_drift();
  if (!boot || boot->bound_ppm >= own.bound_ppm) return;
  const double drift_ppm = (boot->ticks_per_second / cpu.conversion.ticks_per_second() - 1) * 1e6;
  if (std::abs(drift_ppm - own.drift_ppm) > own.bound_ppm + boot->bound_ppm) return;
  clock.boot_drift_ppm = drift_ppm;
  clock.boot_drift_bound_ppm = boot->bound_ppm;
  clock.boot_drift_over_s = static_cast<double>(boot->over_ns) / 1e9;
}

result::Job collect_member(const Member& m, std::size_t index, Afterwards& afterwards, const std::string& program) {
  const auto& plan = *m.plan;
  auto clock = afterwards.clocks.facts(plan.job);
  if (afterwards.drift && clock.source == clock::name(clock::Source::cpu)) add_drift(afterwards, m.calibration, clock);
  auto job = collect_job(plan, static_cast<std::uint32_t>(index), *m.record, m.series, clock, program);
  job.delivery = delivery_of(plan, *m.record, m.depth);
  job.delivery.direct_ignored = afterwards.cache.why_ignored(plan, job);
  if (job.queue && m.calibration.source == clock::Source::cpu)
    job.queue->ticks_per_ns = m.calibration.ticks_per_second * 1e-9;
  if (m.record->elapsed_ns >= kShortestCostedRun_ns && !on_fake_time(plan.job))
    job.own_cost = afterwards.own_costs.of(plan.job, m.record->measured.alone > 0, m.calibration);
  return job;
}

void collect_all(Crew& crew, result::Run& run, const EntrySeries& sums, Afterwards afterwards,
                 const std::string& program) {
  std::vector<result::Job> jobs;
  for (std::size_t i = 0; i < crew.size(); ++i) {
    jobs.push_back(collect_member(crew.members()[i], i, afterwards, program));
    const auto& m = crew.members()[i];
    jobs.back().interrupted = run.interrupted && (jobs.back().interrupted || !m.ended || m.record->elapsed_ns == 0);
    run.errors.insert(run.errors.end(), jobs.back().errors.begin(), jobs.back().errors.end());
    add_notes(m, run);
  }
  report_jobs(crew, std::move(jobs), sums, run);
}

// Of a layout that was asked to stop: no job has begun.
result::Finding layout_interrupted(const LaidOut& made) {
  return {"run.interrupted_in_layout", result::Severity::warning, "",
          fmt::format("interrupted while laying out `{}`; nothing was measured", made.unfinished),
          "files that were laid out whole stay; a half one is removed, or ends where it was filled to"};
}

// Clones of one section fail for one reason, which is said once.
class Failures {
 public:
  explicit Failures(const RunOptions& options) : options_(options) {}
  // Of a job that has not begun.
  void record(Member& m, base::Error error) {
    record_setup_error(*m.record, error, EINVAL);
    say(m, std::move(error));
  }
  // Of those that have ended, what only their workers met.
  void say_of_workers(Crew& crew, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      auto& m = crew.members()[i];
      const auto& e = m.record->errors[0];
      if (m.record->error_count > 0 && !e.is_io && e.what[0] == 0 && !m.failure_said) say(m, told(*m.record, 0));
    }
  }

 private:
  void say(Member& m, base::Error error) {
    m.failure_said = true;
    if (!error.place) error.place = m.plan->job.place;
    if (options_.on_error && m.plan->job.section != last_section_) options_.on_error(error);
    last_section_ = m.plan->job.section;
  }
  const RunOptions& options_;
  int last_section_ = -1;
};

// A job whose files cannot be planned, laid out or opened fails alone, as in fio.
void lay_out_all(std::vector<Plan>& plans, Crew& crew, result::Run& run, Failures& failures,
                 const RunOptions& options) {
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (plans[i].failed) failures.record(crew.members()[i], *plans[i].failed);
  for (std::size_t i = 0; i < plans.size() && options.stop->load() == 0; ++i) {
    auto& plan = plans[i];
    if (plan.failed) continue;
    auto made = lay_out(plan, options.on_layout, *options.stop, options.may_write);
    if (made && !made->unfinished.empty()) run.findings.push_back(layout_interrupted(*made));
    if (made && options.stop->load() != 0) return;
    if (made && made->files > 0) run.layouts.push_back({plan.job.name, made->files, made->bytes});
    const auto opened = made ? probe_targets(plan, options.may_write) : base::Expected<void>(made.error());
    if (!opened) failures.record(crew.members()[i], opened.error());
  }
}

}  // namespace

base::Expected<std::vector<Plan>> plan_jobs(const job::JobSet& jobs) {
  std::vector<Plan> plans;
  for (const auto& job : jobs.jobs) {
    const auto& engine = io::traits_of(job.ioengine);
    if (engine.needs_files)
      if (auto ok = check_directories(job); !ok) return ok.error();
    auto plan = plan_targets(job);
    if (!plan) {
      if (!plan.error().place) plan.error().place = job.place;
      plans.push_back({job, {}, 1, plan.error()});
      continue;
    }
    if (engine.threads_only && !job.thread) {
      plan->job.thread = true;
      plan->job.notes.push_back(
          fmt::format("ioengine={}: the job is a thread, as if thread=1 had been written: a "
                      "controller belongs to one process",
                      job.ioengine));
    }
    plans.push_back(std::move(*plan));
  }
  if (!plans.empty() &&
      std::all_of(plans.begin(), plans.end(), [](const Plan& plan) { return plan.failed.has_value(); }))
    return *plans.front().failed;
  return plans;
}

std::vector<WriteTarget> write_targets(const std::vector<Plan>& plans) {
  std::vector<WriteTarget> out;
  for (const auto& plan : plans) {
    if (!plan.job.changes_targets()) continue;
    const bool by_engine = engine::targets_of(plan.job.ioengine) != nullptr;
    for (const auto& t : plan.targets) {
      const bool by_name_only = by_engine || t.kind == io::TargetKind::character;
      const bool looked_at = t.kind == io::TargetKind::block || (t.kind == io::TargetKind::regular && t.exists);
      if (by_name_only ? !t.harmless : looked_at) out.push_back({t.path, plan.job.allow_mounted_write, by_name_only});
    }
  }
  return out;
}

std::vector<std::string> target_paths(const std::vector<Plan>& plans) {
  std::vector<std::string> paths;
  for (const auto& plan : plans)
    for (const auto& t : plan.targets)
      if (t.kind != io::TargetKind::none && t.kind != io::TargetKind::device &&
          std::find(paths.begin(), paths.end(), t.path) == paths.end())
        paths.push_back(t.path);
  return paths;
}

result::Run run_jobs(std::vector<Plan> plans, const job::JobSet& jobs, const RunOptions& options) {
  result::Run run;
  run.time_epoch_ms = base::epoch_ms();
  run.global_options = jobs.global_echo;
  for (auto& plan : plans) plan.generation = run.time_epoch_ms;
  std::optional<RunClocks> own_clocks;
  if (options.clocks == nullptr) own_clocks.emplace(plans, untested_clocks(), std::vector<unsigned>{});
  const RunClocks& clocks = own_clocks ? *own_clocks : *options.clocks;
  Crew crew(plans, options.find_loop, clocks, *options.stop);
  crew.write_stamps_to(options.stamps);
  crew.ask_before_writing(options.may_write);
  EntrySeries sums(plans.size());
  std::optional<clock::Drift> drift;
  CacheLook cache;
  Failures failures(options);
  lay_out_all(plans, crew, run, failures, options);
  if (options.stop->load() == 0) {
    if (options.on_start) options.on_start();
    cache.before(plans);
    ProgressWatch watch(plans);
    std::uint32_t tick = 0;
    const auto* cpu_clock = clocks.cpu_calibration();
    clock::DriftMeter meter;
    if (cpu_clock != nullptr) meter.begin();
    for (std::size_t first = 0; first < plans.size() && options.stop->load() == 0;) {
      const std::size_t last = stage_end(plans, first);
      run_stage(crew, first, last, watch, tick, sums, options);
      failures.say_of_workers(crew, first, last);
      first = last;
    }
    if (options.on_end) options.on_end();
    if (cpu_clock != nullptr) drift = meter.end(cpu_clock->conversion, unseen_offset_ns(clocks, plans));
    if (drift && options.on_drift) options.on_drift(*drift);
  }
  run.end_epoch_ms = base::epoch_ms();
  run.interrupted = options.stop->load() != 0;
  collect_all(crew, run, sums, {clocks, drift, OwnCosts(options.idle_loop), std::move(cache)}, options.program);
  run.findings.insert(run.findings.end(), crew.findings().begin(), crew.findings().end());
  add_option_findings(plans, run);
  return run;
}

}  // namespace fathom::run
