// The steps of one run are settle, run and complete. run_repeated() repeats them.
#include "session/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "audit/run_findings.h"
#include "clock/cores/cross_core.h"
#include "engine/userspace/nvme_devices.h"
#include "host/disk_stats.h"
#include "host/facts.h"
#include "host/settle.h"
#include "io/engine_effects.h"
#include "job/fields/report_as.h"
#include "loops/table.h"
#include "result/findings/once.h"
#include "result/findings/rows.h"
#include "run/process/idle_profile.h"
#include "run/records/limits.h"
#include "run/repeat.h"
#include "session/clock_tools.h"
#include "session/identity.h"
#include "session/jobs/cost.h"
#include "session/jobs/limits.h"
#include "session/jobs/refusals.h"
#include "session/jobs/repetition.h"
#include "session/jobs_session.h"

namespace fathom::session {
namespace {

// The placements of the jobs' files and devices, each path once, in the order of the jobs.
std::vector<host::placement::Placement> targets_of(const JobsSession& session,
                                                   const std::vector<run::files::Plan>& plans, std::size_t most = ~0u) {
  std::vector<host::placement::Placement> targets;
  for (const auto& target : run::kernel_targets(plans)) {
    if (targets.size() == most) break;
    targets.push_back(session.placements.of(target.path, target.writes));
  }
  return targets;
}

result::Settle settle(JobsSession& session) {
  if (!session.command.settle) return {};
  const auto disks = host::placement::disks_of(targets_of(session, session.plans));
  return host::settle(disks, host::SettleLimits{}, session.stop, session.listener.on_settle);
}

// A limited number of targets: a thousand files on one disk would repeat the same device facts a thousand times.
result::HostFacts facts_of(const JobsSession& session) {
  constexpr std::size_t kMost = 32;
  auto facts = host::collect_facts(targets_of(session, session.plans, kMost));
  const auto limit_bytes = run::records::memory_limit_bytes("");
  if (limit_bytes < facts.memory_bytes) facts.memory_limit_bytes = limit_bytes;
  return facts;
}

// The disks in fio's reports: those of jobs without disk_util=0.
std::vector<std::string> reported_disks(const JobsSession& session) {
  std::vector<run::files::Plan> wanted;
  for (const auto& plan : session.plans)
    if (plan.job.of<job::fields::ReportAs>().disk_util) wanted.push_back(plan);
  return host::placement::disks_of(targets_of(session, wanted));
}

// Reports what the guard could not check.
void add_not_known(const host::guards::WriteGuard& guard, result::Run& run) {
  for (const auto& text : guard.not_known())
    run.findings.push_back(result::findings::found("guard.not_known", {.values = {{"what", text}}}));
}

// Adds facts and findings. After that, reports depend only on the run.
void complete(const JobsSession& session, result::Run& run, const std::vector<result::Finding>& of_limits) {
  run.host = facts_of(session);
  add_not_known(session.guard, run);
  const auto add = [&run](const std::vector<result::Finding>& findings) {
    run.findings.insert(run.findings.end(), findings.begin(), findings.end());
  };
  add(audit::machine::build_findings(session.build));
  add(of_limits);  // before the others: they explain CPU wait
  add(audit::run_findings(run));
  result::findings::each_once(run.findings);  // threads of one job have the same findings
}

// The engine's announcement for a job that begins. Empty for most engines.
std::string announcement(const job::Job& job) {
  std::string text = job.engine.of<io::EngineEffects>().announcement;
  if (const auto at = text.find("$jobname"); at != std::string::npos) text.replace(at, 8, job.name);
  return text;
}

run::RunOptions options_of(JobsSession& session) {
  run::RunOptions options;
  const auto& listener = session.listener;
  options.program = listener.name;
  options.find_loop = loops::find_loop;
  options.idle_loop = loops::idle_loop();
  options.clocks = &session.clocks;
  options.on_drift = remember_drift;
  options.on_progress = listener.on_progress;
  if (session.command.eta_interval_ns != 0) options.progress_interval_ns = session.command.eta_interval_ns;
  options.status_interval_ns = session.command.status_interval_ns;
  if (session.act && options.status_interval_ns == 0) options.status_interval_ns = audit::kActHourNs;
  options.status_asked = listener.status_asked;
  options.on_layout = listener.on_layout;
  options.may_write = [&](const std::string& path, int fd) { return session.guard.look_again(path, fd); };
  options.on_error = listener.on_error;
  options.logs = {session.command.log_memory_bytes, session.command.bandwidth_log};
  options.trigger = {session.command.trigger_file, session.command.trigger_timeout_ns, session.command.trigger_command};
  options.on_line = listener.on_line;
  options.stop = &session.stop;
  options.on_announcement = [&](const job::Job& job) {
    if (const auto text = announcement(job); !text.empty()) listener.on_announcement(text);
  };
  return options;
}

witness::Watch watch_of(job::Command::Breakdown how) {
  using How = job::Command::Breakdown;
  return how == How::all ? witness::Watch::all : how == How::slices ? witness::Watch::slices : witness::Watch::by_cost;
}

result::Run run_once(JobsSession& session, const std::vector<run::files::Plan>& plans) {
  session.open = {};
  auto& split = session.open.split;
  const auto settled = settle(session);
  witness::RunWitnesses witnesses(session.command, session.plans, session.placements);
  if (settled.settled) witnesses.watch_idle();
  host::DiskStats disks(reported_disks(session));
  disks.begin();
  auto options = options_of(session);
  std::optional<run::process::IdleProfile> idle;
  using IdleProf = job::Command::IdleProf;
  if (session.command.idle_prof != IdleProf::none) idle.emplace(clock::cores::usable_cpus());
  std::optional<result::CpuIdleness> idleness;
  std::unique_ptr<StampReader> reader;
  jobs::Limits limits(session.plans, targets_of(session, session.plans));
  options.on_second = [&](const run::Progress& progress) {
    limits.look();
    if (session.listener.on_second) session.listener.on_second(progress);
  };
  // Counting begins after the layout, and after the breakdown has written data back (FIEMAP_FLAG_SYNC). These bytes do
  // not belong to the run.
  options.on_start = [&](const run::WorkerViews& workers) {
    if (split) split->begin(workers);
    witnesses.begin();
    disks.begin();
    limits.begin();
    if (idle) idle->begin();
    if (reader) reader->begin();
  };
  options.on_end = [&] {
    if (reader) reader->end();
    limits.end();
    if (idle) idleness = idle->end(session.command.idle_prof == IdleProf::percpu);
    witnesses.end();
    if (split) split->end();
  };
  std::optional<result::HostFacts> host;
  options.on_status = [&](result::Run so_far) {
    if (session.act && session.act->hour_over(so_far) && session.command.status_interval_ns == 0) return;
    if (!host) host = facts_of(session);
    so_far.host = *host;
    so_far.disks = disks.end();
    so_far.settle = settled;
    so_far.program = session.program;
    identify(so_far);
    session.listener.on_status(so_far);
  };
  if (session.command.breakdown != job::Command::Breakdown::none)
    split = std::make_unique<witness::RunSplit>(session.plans, session.placements, watch_of(session.command.breakdown));
  if (split) options.desk = split->desk();
  if (!split && session.listener.read_stamps) reader = session.listener.read_stamps(session.plans);
  if (reader) options.stamps = reader->stamps();
  auto result = run::run_jobs(plans, session.command.jobs, options);
  result.disks = disks.end();
  result.settle = settled;
  result.cpu_idleness = idleness;
  if (split) result.breakdown = split->breakdown();
  result.watching = session.watching;
  if (result.breakdown) jobs::give_cost(session.watching, *result.breakdown);
  witnesses.complete(result);
  session.open.witnesses = witnesses.ended();
  session.listener.on_measured();
  complete(session, result, limits.findings(result));
  return result;
}

bool has(const std::vector<result::IoError>& errors, const result::IoError& error) {
  return std::any_of(errors.begin(), errors.end(), [&](const auto& e) {
    return e.job == error.job && e.err == error.err && e.op == error.op && e.what == error.what;
  });
}

// Adds errors of repetitions that are not shown, if the shown repetition does not have them.
void add_failed(const std::vector<result::Run>& runs, result::Run& shown) {
  std::vector<result::Finding> found;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& errors = runs[i].errors;
    const auto error = std::find_if(errors.begin(), errors.end(), [&](const auto& e) { return !has(shown.errors, e); });
    if (error == errors.end()) continue;
    found.push_back(result::findings::found(
        "run.repetition_failed",
        {.job = error->job, .values = {{"repetition", i + 1}, {"message", error->message}, {"help", error->remedy}}}));
  }
  shown.findings.insert(shown.findings.end(), found.begin(), found.end());
}

// The shown run ended normally, but the command was interrupted. The finding goes where the audit would have put it.
void mark_interrupted(result::Run& shown) {
  if (std::exchange(shown.interrupted, true)) return;
  const auto judged = audit::run_findings(shown);
  auto& all = shown.findings;
  if (!judged.empty())
    all.insert(std::find_first_of(all.begin(), all.end(), judged.begin(), judged.end()), judged.front());
}

result::Run run_repeated(JobsSession& session) {
  const unsigned times = session.command.repeat;
  if (times <= 1) return run_once(session, session.plans);
  auto plans = session.plans;
  jobs::fix_seeds(plans);
  std::vector<result::Run> runs;
  for (unsigned i = 0; i < times && (i == 0 || session.stop.load() == 0); ++i)
    runs.push_back(run_once(session, jobs::repetition(plans, session.command.repeat_same ? 0 : i)));
  // An interrupted repetition is discarded, unless it is the only one.
  if (runs.size() > 1 && runs.back().interrupted) runs.pop_back();
  result::Run shown = runs[run::median_repetition(runs)];
  add_failed(runs, shown);
  shown.repeated = run::summarize_repetitions(runs);
  if (session.stop.load() != 0) mark_interrupted(shown);
  shown.repetitions = std::move(runs);
  return shown;
}

}  // namespace

PreparedJobs::State::State(const JobsRequest& asked, std::vector<run::files::Plan> planned)
    : request(asked), plans(std::move(planned)), guard(jobs::allowed_entries(plans, asked.command)) {
  if (asked.command.profile == "act") act.emplace();
}
PreparedJobs::State::~State() { engine::userspace::close_nvme_devices(); }

PreparedJobs::PreparedJobs(std::unique_ptr<State> state) : state_(std::move(state)) {}
PreparedJobs::PreparedJobs(PreparedJobs&& other) noexcept = default;
PreparedJobs::~PreparedJobs() = default;
const std::vector<run::files::Plan>& PreparedJobs::plans() const { return state_->plans; }
std::string PreparedJobs::closing_text() const { return state_->act ? state_->act->text() : std::string(); }

base::Expected<PreparedJobs> prepare(const JobsRequest& request) {
  const auto& command = request.command;
  for (const auto& job : command.jobs.jobs)
    if (auto ok = loops::check_job(job); !ok) return ok.error();
  auto plans = run::plan_jobs(command.jobs);
  if (!plans) {
    engine::userspace::close_nvme_devices();
    return plans.error();
  }
  PreparedJobs prepared(std::make_unique<PreparedJobs::State>(request, *std::move(plans)));
  auto& state = prepared.state();
  if (auto ok = jobs::look_at_targets(state.guard, state.placements, state.plans, command, request.fio_mode); !ok)
    return ok.error();
  return prepared;
}

result::Run execute(PreparedJobs& prepared, const Listener& listener, std::atomic<std::uint32_t>& stop) {
  auto& state = prepared.state();
  const auto& request = state.request;
  const auto& command = request.command;
  const auto tools = request.clocks != nullptr ? *request.clocks : clock_tools(command.clock_check);
  const run::process::RunClocks clocks(state.plans, tools, clock::cores::usable_cpus());
  JobsSession session{command,   request.program, request.build, state.plans, state.placements, state.guard, state.open,
                      state.act, clocks,          listener,      stop};
  if (command.cost_ns > 0) session.watching = jobs::measure_cost(session, options_of(session));
  auto run = run_repeated(session);
  run.program = session.program;
  identify(run);
  if (state.act) state.act->end(run);
  return run;
}

}  // namespace fathom::session
