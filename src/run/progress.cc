// Progress of a run.
#include "run/progress.h"

#include <algorithm>

#include "run/pause.h"

namespace fathom::run {
namespace {

std::uint64_t pass_bytes(const Plan& plan) {
  std::uint64_t bytes = 0;
  for (const auto& t : plan.targets) bytes += t.length;
  if (plan.job.io_size.set && plan.job.io_size.percent <= 0) bytes = plan.job.io_size.bytes;
  return bytes * std::max<std::uint64_t>(1, plan.job.loops);
}

double planned_s(const job::Job& job) {
  return static_cast<double>(job.ramp_ns + job.runtime_ns + job.startdelay_ns) * 1e-9;
}

}  // namespace

char state_letter(const job::Job& job, Phase phase, bool started, bool ended) {
  if (ended) return '_';
  if (!started) return 'P';
  if (phase < Phase::ramp) return 'I';
  if (phase == Phase::ramp) return '/';
  const bool mixed = job.mode.reads && job.mode.writes;
  const char letter = mixed ? 'M' : job.mode.writes && !job.mode.trim_then_write ? 'W' : job.mode.trims ? 'T' : 'R';
  return job.mode.random ? static_cast<char>(letter - 'A' + 'a') : letter;
}

ProgressWatch::ProgressWatch(const std::vector<Plan>& plans)
    : plans_(plans), last_ns_(monotonic_ns()), begin_ns_(last_ns_) {}

double ProgressWatch::remaining_s(const Member& m, std::uint64_t now_ns, bool& known) const {
  const auto& job = m.plan->job;
  const double elapsed = static_cast<double>(now_ns - begin_ns_) * 1e-9;
  const std::uint64_t start = m.record->start_ns.load(std::memory_order_relaxed);
  const double running = start == 0 || now_ns < start ? 0 : static_cast<double>(now_ns - start) * 1e-9;
  double by_time = -1, by_bytes = -1;
  if (job.runtime_ns > 0)
    by_time = start != 0 ? static_cast<double>(job.runtime_ns) * 1e-9 - running : planned_s(job) - elapsed;
  if (!job.time_based && running > 0) {
    std::uint64_t done = 0;
    for (std::size_t d = 0; d < io::kDataDirs; ++d) done += m.record->measured.done.bytes[d].get();
    const std::uint64_t total = pass_bytes(*m.plan);
    if (done > 0 && total > done) by_bytes = running * static_cast<double>(total - done) / static_cast<double>(done);
  }
  if (by_time < 0 && by_bytes < 0) {
    known = known && !m.started;
    return 0;
  }
  if (by_time < 0) return by_bytes;
  return std::max(0.0, by_bytes < 0 ? by_time : std::min(by_time, by_bytes));
}

Progress ProgressWatch::look(const Crew& crew, std::size_t first, std::size_t last) {
  Progress p;
  const std::uint64_t now = monotonic_ns();
  const double interval = std::max(1e-9, static_cast<double>(now - last_ns_) * 1e-9);
  const auto& members = crew.members();
  p.jobs_total = static_cast<std::uint32_t>(members.size());
  p.eta_known = true;
  double stage_s = 0;
  std::uint64_t bytes[io::kDataDirs] = {}, ios[io::kDataDirs] = {};
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& m = members[i];
    p.states += state_letter(m.plan->job, m.record->get_phase(), m.started, m.ended);
    p.jobs_done += m.ended ? 1 : 0;
    if (m.started && !m.ended) {
      ++p.jobs_running;
      p.open_files += static_cast<std::uint32_t>(m.plan->targets.size());
    }
    if (i >= first && i < last && !m.ended) stage_s = std::max(stage_s, remaining_s(m, now, p.eta_known));
    for (std::size_t d = 0; d < io::kDataDirs && m.started; ++d) {
      bytes[d] += m.record->measured.done.bytes[d].get();
      ios[d] += m.record->measured.done.ios[d].get();
    }
  }
  double later_s = 0;
  for (std::size_t i = last; i < plans_.size(); ++i) later_s = std::max(later_s, planned_s(plans_[i].job));
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    p.bytes_per_s[d] = bytes[d] >= bytes_[d] ? static_cast<double>(bytes[d] - bytes_[d]) / interval : 0;
    p.ios_per_s[d] = ios[d] >= ios_[d] ? static_cast<double>(ios[d] - ios_[d]) / interval : 0;
    bytes_[d] = bytes[d];
    ios_[d] = ios[d];
  }
  const double elapsed = static_cast<double>(now - begin_ns_) * 1e-9;
  p.eta_s = static_cast<std::uint64_t>(stage_s + later_s + 0.5);
  p.done_share = elapsed / std::max(1e-9, elapsed + stage_s + later_s);
  last_ns_ = now;
  return p;
}

}  // namespace fathom::run
