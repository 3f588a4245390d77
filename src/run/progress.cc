// Computes the progress of a run.
#include "run/progress.h"

#include <algorithm>
#include <cmath>

#include "run/loop/pause.h"
#include "run/process/stages.h"
#include "workload/budget.h"

namespace fathom::run {
namespace {

std::uint64_t bytes_of(const files::Plan& plan) {
  std::uint64_t window = 0;
  for (const auto& t : plan.targets) window += t.length;
  const bool used[] = {plan.job.mode.reads, plan.job.mode.writes, plan.job.mode.trims};
  std::uint64_t largest = 0;
  for (std::size_t d = 0; d < io::kDataDirs; ++d)
    if (used[d]) largest = std::max(largest, plan.job.bs_max[d]);
  return workload::bytes_to_move(plan.job, window, static_cast<std::uint32_t>(largest));
}

double seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

double planned_s(const job::Job& job) { return seconds(job.ramp_ns + job.runtime_ns + job.startdelay_ns); }

}  // namespace

char state_letter(const job::Job& job, records::Phase phase, bool started, bool ended) {
  if (ended) return '_';
  if (!started) return 'P';
  if (phase < records::Phase::ramp) return 'I';
  if (phase == records::Phase::ramp) return '/';
  const bool mixed = job.mode.reads && job.mode.writes;
  const char letter = mixed ? 'M' : job.mode.writes && !job.mode.trim_then_write ? 'W' : job.mode.trims ? 'T' : 'R';
  return job.mode.random ? static_cast<char>(letter - 'A' + 'a') : letter;
}

Standing standing_of(const records::WorkerRecord& record) {
  Standing at;
  at.start_ns = record.start_ns.load(std::memory_order_relaxed);
  at.phase = record.get_phase();
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    at.done_bytes += record.measured.done.bytes[d].get();
    if (at.phase > records::Phase::ramp) at.ramp_bytes += record.ramp_bytes[d];
  }
  return at;
}

TimeLeft time_left(const files::Plan& plan, const Standing& at, std::uint64_t begin_ns, std::uint64_t now_ns) {
  const auto& job = plan.job;
  if (at.ended) return {};
  const bool ramped = at.phase > records::Phase::ramp;
  const double ramp_s = seconds(job.ramp_ns);
  const double running_s = at.start_ns == 0 || now_ns < at.start_ns ? 0 : seconds(now_ns - at.start_ns);
  double by_time = -1, by_bytes = -1;
  if (job.runtime_ns > 0 && at.start_ns != 0)
    by_time = std::max(0.0, seconds(job.runtime_ns) + (ramped ? 0 : ramp_s) - running_s);
  else if (job.runtime_ns > 0)
    by_time = std::max(0.0, planned_s(job) - (at.started ? seconds(now_ns - begin_ns) : 0));
  if (!job.time_based) {
    // Just after the ramp, nothing is done yet, so the rate of the ramp is used.
    const auto done = static_cast<double>(at.done_bytes + at.ramp_bytes);
    const double took_s = running_s + (ramped ? ramp_s : 0);
    const auto total = static_cast<double>(bytes_of(plan));
    if (done > 0 && took_s > 0 && total > done) by_bytes = took_s * (total - done) / done;
  }
  if (by_time < 0 && by_bytes < 0) return {0, !at.started};
  if (by_time < 0) return {by_bytes, true};
  return {by_bytes < 0 ? by_time : std::min(by_time, by_bytes), true};
}

double planned_stages_s(const std::vector<files::Plan>& plans, std::size_t first) {
  double total_s = 0;
  for (std::size_t i = first; i < plans.size();) {
    double stage_s = 0;
    for (const std::size_t end = process::stage_end(plans, i); i < end; ++i)
      stage_s = std::max(stage_s, planned_s(plans[i].job));
    total_s += stage_s;
  }
  return total_s;
}

ProgressWatch::ProgressWatch(const std::vector<files::Plan>& plans)
    : plans_(plans), last_ns_(base::monotonic_ns()), begin_ns_(last_ns_), stage_begin_ns_(last_ns_) {}

void ProgressWatch::begin_stage(std::size_t first, std::size_t last) {
  first_ = first;
  last_ = last;
  stage_begin_ns_ = base::monotonic_ns();
}

void ProgressWatch::add_rates(const Workers& workers, double interval_s, Progress& p) {
  std::uint64_t bytes[io::kDataDirs] = {}, ios[io::kDataDirs] = {};
  for (const auto& m : workers.all()) {
    for (std::size_t d = 0; d < io::kDataDirs && m.started; ++d) {
      bytes[d] += m.record->measured.done.bytes[d].get();
      ios[d] += m.record->measured.done.ios[d].get();
    }
  }
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    p.bytes_per_s[d] = bytes[d] >= bytes_[d] ? static_cast<double>(bytes[d] - bytes_[d]) / interval_s : 0;
    p.ios_per_s[d] = ios[d] >= ios_[d] ? static_cast<double>(ios[d] - ios_[d]) / interval_s : 0;
    p.bytes[d] = bytes_[d] = bytes[d];
    p.ios[d] = ios_[d] = ios[d];
  }
}

Progress ProgressWatch::look(const Workers& workers) {
  Progress p;
  const std::uint64_t now = base::monotonic_ns();
  const auto& members = workers.all();
  p.jobs_total = static_cast<std::uint32_t>(members.size());
  p.eta_known = true;
  double stage_s = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& m = members[i];
    auto at = standing_of(*m.record);
    at.started = m.started;
    at.ended = m.ended;
    p.states += state_letter(m.plan->job, at.phase, m.started, m.ended);
    p.jobs_done += m.ended ? 1 : 0;
    if (m.started && !m.ended) {
      ++p.jobs_running;
      p.open_files += static_cast<std::uint32_t>(m.plan->targets.size());
    }
    if (i < first_ || i >= last_) continue;
    const auto left = time_left(*m.plan, at, stage_begin_ns_, now);
    stage_s = std::max(stage_s, left.seconds);
    p.eta_known = p.eta_known && left.known;
  }
  add_rates(workers, std::max(1e-9, seconds(now - last_ns_)), p);
  const double left_s = stage_s + planned_stages_s(plans_, last_);
  const double elapsed_s = seconds(now - begin_ns_);
  p.elapsed_s = elapsed_s;
  p.eta_s = static_cast<std::uint64_t>(std::llround(left_s));
  p.done_share = elapsed_s / std::max(1e-9, elapsed_s + left_s);
  last_ns_ = now;
  return p;
}

}  // namespace fathom::run
