// Reads the workers' counters at a fixed interval, and applies the rules of steady states and minimum rates.
#include "run/judges.h"

#include <algorithm>

namespace fathom::run {
namespace {

// The interval is at most 50 ms, so that a due time is not missed by more.
constexpr std::uint64_t kMostBeatNs = 50'000'000, kLeastBeatNs = 1'000'000;

bool measures(const Worker& m) {
  return m.started && !m.ended && m.record->get_phase() == records::Phase::running &&
         m.record->flying_ns.load(std::memory_order_relaxed) == 0;
}

// The rule, without directions that the job does not use.
job::fields::LeastRate rule_of(const job::Job& job) {
  auto rule = job.of<job::fields::LeastRate>();
  const bool used[] = {job.mode.reads, job.mode.writes, job.mode.trims};
  for (std::size_t d = 0; d < io::kDataDirs; ++d)
    if (!used[d]) rule.bytes_per_s[d] = rule.iops[d] = 0;
  return rule;
}

}  // namespace

Judges::Judges(Workers& workers, const std::vector<std::size_t>& entry) : workers_(workers) {
  const auto& members = workers.all();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& job = members[i].plan->job;
    if (job.of<job::fields::LeastRate>().any())
      floors_.push_back({i, watch::LeastRateWatch(rule_of(job)), job.of<job::fields::LeastRate>().cycle_ns});
    const auto& steady = job.of<job::fields::Steady>();
    if (!steady.asked()) continue;
    if (entry[i] == i || steady_.empty())
      steady_.push_back({{i}, steady, watch::SteadyState(steady), 0, {}});
    else
      steady_.back().members.push_back(i);
  }
  if (!floors_.empty() || !steady_.empty()) {
    beat_ns_ = kMostBeatNs;
    for (const auto& floor : floors_) beat_ns_ = std::min(beat_ns_, std::max(floor.cycle_ns, kLeastBeatNs));
    next_ns_ = 0;
  }
}

Judges::Sums Judges::sums_of(const SteadyEntry& entry) const {
  Sums sums;
  for (const auto i : entry.members) {
    const auto& record = *workers_.all()[i].record;
    for (std::size_t d = 0; d < io::kDataDirs; ++d) {
      sums.ios += record.measured.done.ios[d].get();
      sums.bytes += record.measured.done.bytes[d].get();
    }
    sums.clat_ns += record.clat_sum_ns.get();
    sums.clat_ios += record.clat_ios.get();
  }
  return sums;
}

// True if all jobs of the entry measure and their ramps are over. Jobs that have ended are not waited for.
bool Judges::may_begin(const SteadyEntry& entry, std::uint64_t now_ns) const {
  bool any = false;
  for (const auto i : entry.members) {
    const auto& m = workers_.all()[i];
    if (m.ended) continue;
    if (!measures(m) || now_ns < m.record->start_ns.load() + entry.rule.ramp_ns) return false;
    any = true;
  }
  return any;
}

void Judges::look_at(SteadyEntry& entry, std::uint64_t now_ns) {
  if (entry.state.attained()) return;
  if (entry.last_ns == 0 && !may_begin(entry, now_ns)) return;
  if (entry.last_ns != 0 && now_ns - entry.last_ns < entry.rule.interval_ns) return;
  const auto any = std::any_of(entry.members.begin(), entry.members.end(),
                               [&](std::size_t i) { return measures(workers_.all()[i]); });
  if (!any) return;
  const auto sums = sums_of(entry);
  const auto last = entry.last;
  const std::uint64_t begin_ns = entry.last_ns;
  entry.last = sums;
  entry.last_ns = now_ns;
  if (begin_ns == 0 || sums.ios < last.ios) return;  // the counters restarted: latency_target has found its depth
  const double s = static_cast<double>(now_ns - begin_ns) * 1e-9;
  const auto per_s = [&](std::uint64_t n) { return static_cast<double>(n) / s; };
  const auto ios = sums.clat_ios - last.clat_ios;
  const double lat_ns = ios == 0 ? 0 : static_cast<double>(sums.clat_ns - last.clat_ns) / static_cast<double>(ios);
  if (!entry.state.add({per_s(sums.ios - last.ios), per_s(sums.bytes - last.bytes), lat_ns})) return;
  for (const auto i : entry.members) workers_.stop_one(i);
}

void Judges::look_at(Floor& floor, std::uint64_t now_ns) {
  const auto& m = workers_.all()[floor.member];
  const std::uint64_t start_ns = m.record->start_ns.load();
  if (!measures(m) || !m.verdict.empty() || now_ns < start_ns) return;
  watch::LeastRateWatch::Counts counts;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    counts.bytes[d] = m.record->measured.done.bytes[d].get();
    counts.ios[d] = m.record->measured.done.ios[d].get();
  }
  const auto missed = floor.watch.look(now_ns - start_ns, counts);
  if (!missed.empty()) workers_.end_with_error(floor.member, missed);
}

void Judges::look(std::uint64_t now_ns) {
  if (now_ns < next_ns_) return;
  for (auto& entry : steady_) look_at(entry, now_ns);
  for (auto& floor : floors_) look_at(floor, now_ns);
  next_ns_ = now_ns + beat_ns_;
}

std::optional<result::SteadyState> Judges::steady(std::size_t entry) const {
  for (const auto& e : steady_)
    if (e.members.front() == entry) return e.state.result();
  return std::nullopt;
}

}  // namespace fathom::run
