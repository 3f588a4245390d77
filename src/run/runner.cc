// Runs the jobs from the parent's side: lays files out, starts, samples and stops jobs, and collects the results.
#include "run/runner.h"

#include <fmt/format.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "base/files/place.h"
#include "base/time.h"
#include "engine/engine.h"
#include "io/engine_targets.h"
#include "io/engines.h"
#include "job/fields/ends.h"
#include "job/fields/errors.h"
#include "job/fields/logs.h"
#include "job/fields/process_options.h"
#include "job/fields/report_as.h"
#include "job/fields/start.h"
#include "result/findings/rows.h"
#include "run/checks/verify_plan.h"
#include "run/entry_windows.h"
#include "run/files/content_files.h"
#include "run/files/layout_all.h"
#include "run/files/open_files.h"
#include "run/gates/zone_tables.h"
#include "run/judges.h"
#include "run/logs/log_kinds.h"
#include "run/loop/own_cost.h"
#include "run/loop/pause.h"
#include "run/outcome/collect.h"
#include "run/outcome/delivery.h"
#include "run/outcome/notes.h"
#include "run/outcome/so_far.h"
#include "run/outcome/sum_jobs.h"
#include "run/process/cache_look.h"
#include "run/process/cgroup.h"
#include "run/process/clock_watches.h"
#include "run/process/process_setup.h"
#include "run/process/queue_limits.h"
#include "run/process/stages.h"
#include "run/records/setup_error.h"
#include "run/teller.h"
#include "run/verify_states.h"
#include "run/watch/outlasted.h"
#include "run/workers.h"

namespace fathom::run {
namespace {

// exitall (any job sets it for all), exitall_on_error: an ended job stops others. Its exit_what applies, as in fio.
void apply_exitall(Workers& workers, std::size_t first, std::size_t last) {
  auto& members = workers.all();
  const bool exitall = std::any_of(members.begin(), members.end(), [](const Worker& m) { return m.plan->job.exitall; });
  for (std::size_t i = first; i < last; ++i) {
    auto& m = members[i];
    if (!m.started || !m.ended || std::exchange(m.end_seen, true)) continue;
    const auto& ends = m.plan->job.of<job::fields::Ends>();
    if (exitall || (ends.on_error && m.record->error != 0)) workers.stop_others(ends.what, m.plan->job.group_id);
  }
}

// group_reporting: consecutive jobs of a group are one entry. Returns the index after the last job of first's entry.
std::size_t report_end(const std::vector<Worker>& members, std::size_t first) {
  const auto& job = members[first].plan->job;
  std::size_t end = first + 1;
  while (job.group_reporting && end < members.size() && members[end].plan->job.group_id == job.group_id &&
         members[end].plan->job.group_reporting)
    ++end;
  return end;
}

std::vector<std::size_t> entries_of(const std::vector<Worker>& members) {
  std::vector<std::size_t> entry(members.size());
  for (std::size_t i = 0; i < members.size();)
    for (const std::size_t first = i, end = report_end(members, i); i < end; ++i) entry[i] = first;
  return entry;
}

// Samples for the entries of the report.
struct Sampled {
  explicit Sampled(Workers& workers)
      : series(workers.size()),
        windows(workers.all(), entries_of(workers.all())),
        judges(workers, entries_of(workers.all())) {}
  std::vector<sampling::Series> series;       // for an entry of several jobs, their sum, at the index of its first job
  std::map<int, sampling::Series> of_groups;  // for groups with several entries
  EntryWindows windows;                       // for entries that request windows
  Judges judges;                              // steady states and minimum rates
  process::CacheLook cache;                   // files on which direct=1 has no effect
};

// The states that keep the run's writes verifiable, and the trigger that ends the run.
struct States {
  States(Workers& workers, const watch::TriggerWishes& wishes)
      : trigger(wishes, [this, &workers] {
          states.save_running(workers.all());
          workers.stop_others(job::fields::ExitWhat::all, 0);
        }) {
    workers.keep_states_in(&states);
  }
  VerifyStates states;
  watch::Trigger trigger;
};

void add_to(std::optional<sampling::SamplePoint>& sum, const sampling::SamplePoint& point) {
  sum ? sum->merge(point) : void(sum = point);
}

// The sum over all workers in this tick. Empty: no worker was measured.
std::optional<sampling::SamplePoint> sample_stage(Workers& workers, std::size_t first, std::size_t last,
                                                  std::uint32_t tick, Sampled& sampled) {
  const std::uint64_t now = base::monotonic_ns();
  const auto entry = entries_of(workers.all());
  std::optional<sampling::SamplePoint> sum, of_group, all;
  std::size_t group_begin = first;
  const auto group = [&](std::size_t i) { return workers.all()[i].plan->job.group_id; };
  for (std::size_t i = first; i < last; ++i) {
    auto& worker = workers.all()[i];
    const auto point = worker.series.sample(*worker.record, worker.lane_records(), tick, now);
    if (point) add_to(sum, *point), add_to(of_group, *point), add_to(all, *point);
    const bool entry_over = i + 1 == last || entry[i + 1] != entry[i];
    const bool several = entry_over && report_end(workers.all(), entry[i]) > entry[i] + 1;
    if (several && sum) sampled.series[entry[i]].add(*sum);
    if (entry_over) sum.reset();
    if (i + 1 < last && group(i + 1) == group(i)) continue;
    if (of_group && entry[group_begin] != entry[i]) sampled.of_groups[group(i)].add(*of_group);
    of_group.reset();
    group_begin = i + 1;
  }
  return all;
}

// Jobs with a queue, and a requested depth above 1.
std::vector<std::size_t> with_queues(const Workers& workers, std::size_t first, std::size_t last) {
  std::vector<std::size_t> queues;
  for (std::size_t i = first; i < last; ++i) {
    const files::Plan& plan = *workers.all()[i].plan;
    const bool queue = io::traits_of(plan.job.ioengine).asynchronous && workers.all()[i].lanes.empty();
    if (queue && outcome::asked_depth(plan) > 1) queues.push_back(i);
  }
  return queues;
}

// wait_for: jobs that have not started, and that wait for no running job.
std::vector<std::size_t> may_start(const Workers& workers, std::size_t first, std::size_t last) {
  const auto& members = workers.all();
  const auto waits = [&](const Worker& m) {
    const int section = m.plan->job.of<job::fields::Start>().wait_section;
    return std::any_of(members.begin(), members.end(),
                       [&](const Worker& other) { return other.plan->job.section == section && !other.ended; });
  };
  std::vector<std::size_t> which;
  for (std::size_t i = first; i < last; ++i)
    if (!members[i].started && !waits(members[i])) which.push_back(i);
  return which;
}

// Reports failures. The clones of a section fail for the same reason, which is reported once.
class Failures {
 public:
  explicit Failures(const RunOptions& options) : options_(options) {}
  // For a job that has not begun.
  void record(Worker& m, base::Error error) {
    records::record_setup_error(*m.record, error, EINVAL);
    say(m, std::move(error));
  }
  // Reports errors that only the worker encountered, for jobs that have ended.
  void say_of_workers(Workers& workers, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      auto& m = workers.all()[i];
      const auto& e = m.record->errors[0];
      if (m.record->error_count > 0 && !e.is_io && e.what[0] == 0 && !m.failure_said)
        say(m, records::told(*m.record, 0));
    }
  }

 private:
  void say(Worker& m, base::Error error) {
    m.failure_said = true;
    if (!error.place) error.place = m.plan->job.place;
    if (options_.on_error && m.plan->job.section != last_section_) options_.on_error(error);
    last_section_ = m.plan->job.section;
  }
  const RunOptions& options_;
  int last_section_ = -1;
};

void start(Workers& workers, const std::vector<std::size_t>& which, Failures& failures, const RunOptions& options) {
  for (const std::size_t i : which) {
    auto& m = workers.all()[i];
    if (m.record->error != 0) continue;
    if (auto ok = files::find_windows(*m.plan); !ok) failures.record(m, ok.error());
    if (auto ok = workers.find_zones(i); !ok) failures.record(m, ok.error());
  }
  workers.start(which);
  for (const std::size_t i : which)
    if (options.on_announcement && !workers.all()[i].ended) options.on_announcement(workers.all()[i].plan->job);
}

// Reads the clocks, and stops each job that continues past its end because its clock was set back.
void look_at_clocks(Workers& workers, std::size_t first, std::size_t last, process::ClockWatches& clocks) {
  clocks.look();
  const std::uint64_t now = base::monotonic_ns();
  for (std::size_t i = first; i < last; ++i) {
    const auto& m = workers.all()[i];
    const bool late = !m.ended && watch::outlasted(m.plan->job, *m.record, now);
    if (late && !process::on_fake_time(m.plan->job) && clocks.went_back(m.calibration.source)) workers.stop_one(i);
  }
}

// Runs one stage to its end. Samples and reports at their intervals, and wakes early when a worker ends.
void run_stage(Workers& workers, std::size_t first, std::size_t last, Teller& teller, std::uint32_t& tick,
               Sampled& sampled, watch::Trigger& trigger, process::ClockWatches& clocks, Failures& failures,
               const RunOptions& options) {
  teller.begin_stage(first, last);
  start(workers, may_start(workers, first, last), failures, options);
  sampled.windows.look(workers.all(), base::monotonic_ns());
  const auto queues = with_queues(workers, first, last);
  std::uint64_t next = base::monotonic_ns() + sampling::kSampleNs;
  std::uint64_t next_look = queues.empty() ? ~0ull : base::monotonic_ns() + outcome::kDepthSampleNs;
  const auto goes_on = [&] {
    const auto more = may_start(workers, first, last);
    if (!more.empty() && options.stop->load() == 0) start(workers, more, failures, options);
    return workers.running(first, last) > 0;
  };
  while (goes_on()) {
    const std::uint64_t now = base::monotonic_ns();
    const std::uint64_t wake = std::min(
        {next, next_look, teller.next_ns(), sampled.windows.next_ns(), sampled.judges.next_ns(), trigger.next_ns()});
    const int left_ms = wake > now ? static_cast<int>((wake - now) / 1'000'000) + 1 : 0;
    workers.wait(left_ms);
    apply_exitall(workers, first, last);
    workers.end_companions(first, last);
    if (options.stop->load() >= 2) workers.kill_all();
    sampled.judges.look(base::monotonic_ns());
    trigger.look(base::monotonic_ns());
    if (base::monotonic_ns() >= next_look) {
      for (const auto i : queues) workers.all()[i].look_at_depth();
      next_look = base::monotonic_ns() + outcome::kDepthSampleNs;
    }
    if (base::monotonic_ns() >= next) {
      teller.sampled(sample_stage(workers, first, last, ++tick, sampled));
      look_at_clocks(workers, first, last, clocks);
      sampled.cache.look();
      next += sampling::kSampleNs;
    }
    sampled.windows.look(workers.all(), base::monotonic_ns());
    teller.tell(workers);
  }
}

// Makes begin and end times relative to the begin of the first job. The times of a job with a simulated clock remain
// relative to its own start.
void since_the_first(std::vector<result::Job>& jobs) {
  std::uint64_t first = ~std::uint64_t{0};
  for (const auto& job : jobs)
    for (const auto& dir : job.dirs)
      if (dir.begin_ns && !job.traits.fake_time) first = std::min(first, *dir.begin_ns);
  for (auto& job : jobs)
    for (auto& dir : job.dirs)
      if (dir.begin_ns && !job.traits.fake_time) *dir.begin_ns -= first, *dir.end_ns -= first;
}

void report_jobs(Workers& workers, std::vector<result::Job> jobs, const Sampled& sampled, result::Run& run) {
  since_the_first(jobs);
  auto& members = workers.all();
  for (std::size_t i = 0; i < jobs.size();) {
    const std::size_t end = report_end(members, i);
    if (end == i + 1) {
      run.jobs.push_back(std::move(jobs[i]));
      sampled.windows.put_into(i, run.jobs.back());
    } else {
      std::vector<result::Job> part(std::make_move_iterator(jobs.begin() + static_cast<std::ptrdiff_t>(i)),
                                    std::make_move_iterator(jobs.begin() + static_cast<std::ptrdiff_t>(end)));
      run.jobs.push_back(outcome::sum_jobs(part, sampled.series[i]));
      sampled.windows.put_into(i, run.jobs.back());
      std::move(part.begin(), part.end(), std::back_inserter(run.group_members));
    }
    run.jobs.back().steady_state = sampled.judges.steady(i);
    i = end;
  }
  run.groups = outcome::sum_groups(run.jobs);
  for (auto& group : run.groups)
    if (const auto of = sampled.of_groups.find(group.id); of != sampled.of_groups.end())
      outcome::add_series(of->second, group);
}

// Times of day: the calendar's time at the start of the run, advanced by CLOCK_MONOTONIC. Their order is therefore
// correct even if the calendar is set during the run.
struct Dates {
  std::uint64_t begin_epoch_ms = base::epoch_ms(), begin_ns = base::monotonic_ns();
  // 0: never.
  std::uint64_t of(std::uint64_t moment_ns) const {
    return moment_ns == 0 ? 0 : begin_epoch_ms + (std::max(moment_ns, begin_ns) - begin_ns) / 1'000'000;
  }
  std::uint64_t now() const { return of(base::monotonic_ns()); }
};

// Clock data that exist only at the end of the run, and tools for collecting jobs then.
struct Afterwards {
  const Dates& dates;
  const process::RunClocks& clocks;
  std::optional<clock::Drift> drift;
  loop::OwnCosts own_costs;
  const process::CacheLook& cache;
};

// Reports this run's drift. Adds the drift of an earlier run of this boot, if its bound is tighter and the two agree.
// It is converted to the rate of this run's conversion, so that both are comparable.
void add_drift(const Afterwards& afterwards, const clock::sources::Calibration& cpu, result::ClockFacts& clock) {
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

// The start of a job by the calendar, and by the clock of job_start_clock_id, which advances like CLOCK_MONOTONIC.
void date(const Worker& m, const Dates& dates, result::Job& job) {
  const std::uint64_t begun_ns = m.record->begun_ns;
  job.start_epoch_ms = dates.of(begun_ns);
  const auto id = static_cast<clockid_t>(m.plan->job.of<job::fields::ReportAs>().job_start_clock_id);
  if (id == CLOCK_REALTIME || begun_ns == 0) return;
  const std::uint64_t since_ms = (base::monotonic_ns() - begun_ns) / 1'000'000;
  const std::uint64_t now_ms = base::clock_ns(id) / 1'000'000;
  job.reporting.job_start_ms = now_ms > since_ms ? now_ms - since_ms : 0;
}

result::Job collect_member(const Worker& m, std::size_t index, Afterwards& afterwards, const std::string& program) {
  const auto& plan = *m.plan;
  auto clock = afterwards.clocks.facts(plan.job);
  if (afterwards.drift && clock.source == clock::sources::name(clock::sources::Source::cpu))
    add_drift(afterwards, m.calibration, clock);
  auto job = outcome::collect_job(plan, static_cast<std::uint32_t>(index), *m.record, m.series, clock, program);
  date(m, afterwards.dates, job);
  job.delivery = outcome::delivery_of(plan, *m.record, m.depth);
  afterwards.cache.after(plan, job);
  if (job.queue && m.calibration.source == clock::sources::Source::cpu)
    job.queue->ticks_per_ns = m.calibration.ticks_per_second * 1e-9;
  if (m.record->elapsed_ns >= loop::kShortestCostedRun_ns && !process::on_fake_time(plan.job))
    job.own_cost = afterwards.own_costs.of(plan.job, m.record->measured.alone > 0, m.calibration);
  return job;
}

// Records why the parent ended a job.
void record_verdict(const Worker& m) {
  if (m.verdict.empty()) return;
  auto* e = m.record->add_error(EIO);
  if (e == nullptr) return;
  e->kind = records::ErrorRecord::Kind::too_few;
  records::write_down(*e, m.verdict);
}

// Adds the errors to report. An error after which the job continued is included only with error_dump.
void add_errors(const result::Job& from, const job::Job& job, result::Run& run) {
  const bool all = job.of<job::fields::Errors>().dump;
  std::copy_if(from.errors.begin(), from.errors.end(), std::back_inserter(run.errors),
               [&](const auto& e) { return all || !e.went_on; });
}

void collect_all(Workers& workers, result::Run& run, const Sampled& sampled, Afterwards afterwards,
                 const RunOptions& options) {
  std::vector<result::Job> jobs;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    record_verdict(workers.all()[i]);
    jobs.push_back(collect_member(workers.all()[i], i, afterwards, options.program));
    const auto& m = workers.all()[i];
    jobs.back().interrupted = run.interrupted && (jobs.back().interrupted || !m.ended || m.record->elapsed_ns == 0);
    add_errors(jobs.back(), m.plan->job, run);
    outcome::add_notes(m, run);
    outcome::add_least_rate(m.plan->job, jobs.back(), run);
    if (options.on_line && m.record->stop_verify[0] != 0) options.on_line(m.record->stop_verify);
  }
  report_jobs(workers, std::move(jobs), sampled, run);
}

// A report in mid-run: ended jobs have their final results, the others their results so far.
result::Run report_so_far(Workers& workers, const result::Run& begun, const Sampled& sampled, const Dates& dates,
                          const process::RunClocks& clocks, const std::string& program) {
  result::Run run = begun;
  run.end_epoch_ms = dates.now();
  const std::uint64_t now = base::monotonic_ns();
  std::vector<result::Job> jobs;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const auto& m = workers.all()[i];
    jobs.push_back(outcome::job_so_far(m, static_cast<std::uint32_t>(i), clocks.facts(m.plan->job), program, now));
    date(m, dates, jobs.back());
    add_errors(jobs.back(), m.plan->job, run);
  }
  const auto running = std::count_if(jobs.begin(), jobs.end(), [](const auto& job) { return job.running; });
  report_jobs(workers, std::move(jobs), sampled, run);
  run.findings.push_back(
      result::findings::found("run.so_far", {.values = {{"running_jobs", running}, {"jobs", workers.size()}}}));
  return run;
}

void add_findings(const std::vector<result::Finding>& findings, result::Run& run) {
  run.findings.insert(run.findings.end(), findings.begin(), findings.end());
}

// For a layout that was interrupted: no job has begun.
result::Finding layout_interrupted(const files::LaidOut& made) {
  return result::findings::found("run.interrupted_in_layout", {.values = {{"file", made.unfinished}}});
}

// If the files of a job cannot be planned, laid out or opened, only that job fails, as in fio.
void lay_out_all(std::vector<files::Plan>& plans, Workers& workers, result::Run& run, Failures& failures,
                 const RunOptions& options) {
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (plans[i].failed) failures.record(workers.all()[i], *plans[i].failed);
  const auto all = files::lay_out_jobs(plans, options.on_layout, *options.stop, options.may_write);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    auto& plan = plans[i];
    if (!all[i]) continue;
    const auto& made = *all[i];
    if (made && !made->unfinished.empty()) run.findings.push_back(layout_interrupted(*made));
    if (made && options.stop->load() != 0) return;
    if (made && made->files > 0) run.layouts.push_back({plan.job.name, made->files, made->bytes});
    const auto opened = made ? files::probe_targets(plan, options.may_write) : base::Expected<void>(made.error());
    if (!opened) failures.record(workers.all()[i], opened.error());
  }
}

// The zones of zonemode=zbd. A file that an earlier job of the run writes first is fitted when its job begins.
void share_zones(std::vector<files::Plan>& plans, Workers& workers, gates::ZoneTables& zones, Failures& failures) {
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const bool later = std::ranges::any_of(plans[i].targets, [](const auto& t) { return t.read_again; });
    if (later || plans[i].failed) continue;
    if (auto ok = zones.prepare(plans[i], i); !ok) failures.record(workers.all()[i], ok.error());
  }
  workers.share_zones(&zones);
}

void prepare_traces(std::vector<files::Plan>& plans, Workers& workers, Failures& failures) {
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (plans[i].trace != nullptr)
      if (const auto ok = replay::begin_run(plans[i].job, *plans[i].trace); !ok)
        failures.record(workers.all()[i], ok.error());
}

}  // namespace

base::Expected<std::vector<files::Plan>> plan_jobs(const job::JobSet& jobs) {
  std::vector<files::Plan> plans;
  process::EarlierJobs earlier;
  std::set<std::string> streams, iologs;
  const auto made_before = [&](const std::string& path) { return earlier.of(path); };
  for (const auto& job : jobs.jobs) {
    earlier.next(job);
    const auto& engine = io::traits_of(job.ioengine);
    if (engine.needs_files)
      if (auto ok = files::check_directories(job); !ok) return ok.error();
    const bool replays_stream = job.replays && replay::is_stream(job);
    auto plan = replays_stream && !streams.insert(replay::path_of(job)).second
                    ? base::Expected<files::Plan>(replay::read_twice(replay::path_of(job)))
                    : files::plan_targets(job, made_before);
    if (const auto ok = replay::claim_logs(job, iologs); plan && !ok) plan = ok.error();
    if (plan)
      if (auto ok = files::read_patterns(plan->job); !ok) plan = ok.error();
    if (plan && plan->job.verify)
      if (auto layout = checks::verify_layout(plan->job); !layout) plan = layout.error();
    if (!plan) {
      if (!plan.error().place) plan.error().place = job.place;
      plans.push_back({job, {}, 1, false, plan.error(), nullptr});
      continue;
    }
    if (engine.threads_only && !job.thread) {
      plan->job.thread = true;
      plan->job.notes.push_back(
          fmt::format("ioengine={}: the job runs as a thread, as with thread=1: a "
                      "controller belongs to one process",
                      job.ioengine));
    }
    for (auto& note : process::process_notes(*plan)) plan->job.notes.push_back(std::move(note));
    earlier.add(*plan);
    plans.push_back(std::move(*plan));
  }
  process::limit_queues(plans);
  if (!plans.empty() &&
      std::all_of(plans.begin(), plans.end(), [](const files::Plan& plan) { return plan.failed.has_value(); }))
    return *plans.front().failed;
  files::share_dedupe_blocks(plans);
  return plans;
}

std::vector<WriteTarget> write_targets(const std::vector<files::Plan>& plans) {
  std::vector<WriteTarget> out;
  for (const auto& plan : plans) {
    const bool removes = plan.job.unlink || io::traits_of(plan.job.ioengine).reads_change;
    if (!plan.job.changes_targets() && !removes) continue;
    for (const auto& t : plan.targets) {
      const bool by_name_only = t.kind == io::TargetKind::device || t.kind == io::TargetKind::character;
      const bool named = io::targets_are(plan.job.ioengine) == io::TargetsAre::names && files::look_at(t.path).ok() &&
                         files::look_at(t.path)->exists;
      const bool looked_at =
          t.kind == io::TargetKind::block || (t.kind == io::TargetKind::regular && t.exists) || named;
      if (by_name_only ? !t.harmless : looked_at) out.push_back({t.path, plan.job.allow_mounted_write, by_name_only});
    }
  }
  return out;
}

std::vector<KernelTarget> kernel_targets(const std::vector<files::Plan>& plans) {
  std::vector<KernelTarget> targets;
  std::map<std::string_view, std::size_t> known;
  for (const auto& plan : plans)
    for (const auto& t : plan.targets) {
      if (t.kind == io::TargetKind::none || t.kind == io::TargetKind::device) continue;
      const auto [at, is_new] = known.try_emplace(t.path, targets.size());
      if (is_new) targets.push_back({t.path, false});
      targets[at->second].writes |= plan.job.mode.writes;
    }
  return targets;
}

result::Run run_jobs(std::vector<files::Plan> plans, const job::JobSet& jobs, const RunOptions& options) {
  result::Run run;
  const Dates dates;
  run.time_epoch_ms = dates.begin_epoch_ms;
  run.global_options = jobs.global_echo;
  for (auto& plan : plans) plan.generation = run.time_epoch_ms;
  checks::mark_shared_places(plans);
  std::optional<process::RunClocks> own_clocks;
  if (options.clocks == nullptr) own_clocks.emplace(plans, process::untested_clocks(), std::vector<unsigned>{});
  const process::RunClocks& clocks = own_clocks ? *own_clocks : *options.clocks;
  process::Cgroups cgroups;  // destroyed after the workers, because a group is removed only without processes
  const auto logs = LogKeeper::make(plans, options.logs);
  Workers workers(plans, options.find_loop, clocks, *options.stop);
  if (logs) workers.write_logs_to(logs->rings());
  workers.write_stamps_to(options.stamps);
  workers.split_at(options.desk);
  workers.give_up_after(options.give_up_ns);
  workers.ask_before_writing(options.may_write);
  Sampled sampled(workers);
  States states(workers, options.trigger);
  std::optional<clock::Drift> drift;
  Failures failures(options);
  gates::ZoneTables zones;
  share_zones(plans, workers, zones, failures);
  lay_out_all(plans, workers, run, failures, options);
  prepare_traces(plans, workers, failures);
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (auto ok = cgroups.prepare(plans[i].job); !ok) failures.record(workers.all()[i], ok.error());
  if (options.stop->load() == 0) {
    if (options.on_start) options.on_start(workers.views());
    if (logs) logs->begin(workers.records());
    sampled.cache.before(plans);
    Teller teller(plans, options, [&] { return report_so_far(workers, run, sampled, dates, clocks, options.program); });
    states.trigger.begin(base::monotonic_ns());
    std::uint32_t tick = 0;
    const auto* cpu_clock = clocks.cpu_calibration();
    clock::DriftMeter meter;
    process::ClockWatches watches(plans, clocks);
    if (cpu_clock != nullptr) meter.begin();
    for (std::size_t first = 0; first < plans.size() && options.stop->load() == 0;) {
      const std::size_t last = process::stage_end(plans, first);
      run_stage(workers, first, last, teller, tick, sampled, states.trigger, watches, failures, options);
      if (logs) logs->write(first, last);
      states.states.save_ended(workers.all(), first, last,
                               [&](Worker& m, base::Error error) { failures.record(m, std::move(error)); });
      failures.say_of_workers(workers, first, last);
      first = last;
    }
    states.trigger.run_command();
    if (options.on_end) options.on_end();
    watches.look();
    const auto moved = watches.moved();
    add_findings(process::clock_findings(moved), run);
    if (cpu_clock != nullptr && moved.counter.steady())
      drift = meter.end(cpu_clock->conversion, process::unseen_offset_ns(clocks, plans));
    if (drift && options.on_drift) options.on_drift(*drift);
  }
  run.end_epoch_ms = dates.now();
  run.interrupted = options.stop->load() != 0;
  collect_all(workers, run, sampled, {dates, clocks, drift, loop::OwnCosts(options.idle_loop), sampled.cache}, options);
  outcome::add_zone_findings(zones.compare(), run);
  add_findings(workers.findings(), run);
  add_findings(states.states.findings(), run);
  add_findings(states.trigger.findings(), run);
  if (logs) add_findings(logs->end(), run);
  outcome::add_option_findings(plans, run);
  if (options.stamps != nullptr || options.desk != nullptr) outcome::add_stamp_findings(plans, run);
  return run;
}

}  // namespace fathom::run
