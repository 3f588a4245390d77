// The rate of an interval of zero length is 0: two samples in one clock tick have no rate.
#include "host/settle_judge.h"

#include <algorithm>

namespace fathom::host {
namespace {

double since(std::uint64_t from, std::uint64_t to) { return to > from ? static_cast<double>(to - from) : 0.0; }

double rate(std::uint64_t from, std::uint64_t to, double seconds) {
  return seconds > 0 ? since(from, to) / seconds : 0.0;
}

}  // namespace

double SettleJudge::cpu_percent(const SettleSample& from, const SettleSample& to) const {
  const double total = since(from.cpu_total, to.cpu_total);
  return total > 0 ? 100.0 * since(from.cpu_busy, to.cpu_busy) / total : 0.0;
}

bool SettleJudge::quiet(const SettleSample& from, const SettleSample& to) const {
  return cpu_percent(from, to) <= limits_.cpu_percent &&
         rate(from.disk_ios, to.disk_ios, to.t_s - from.t_s) <= limits_.disk_iops;
}

SettleJudge::Verdict SettleJudge::add(const SettleSample& sample) {
  if (window_.empty()) started_s_ = sample.t_s;
  if (!window_.empty()) quiet_in_a_row_ = quiet(window_.back(), sample) ? quiet_in_a_row_ + 1 : 0;
  window_.push_back(sample);
  const auto kept = static_cast<std::size_t>(std::max(limits_.quiet_intervals, 1)) + 1;
  if (window_.size() > kept) window_.pop_front();

  settled_ = window_.size() > 1 && quiet_in_a_row_ >= limits_.quiet_intervals;
  if (settled_) return Verdict::settled;
  return sample.t_s - started_s_ >= limits_.give_up_s ? Verdict::gave_up : Verdict::wait;
}

result::Settle SettleJudge::result() const {
  result::Settle settle;
  settle.asked = true;
  settle.settled = settled_;
  if (window_.empty()) return settle;
  const SettleSample& from = window_.front();
  const SettleSample& to = window_.back();
  settle.waited_s = to.t_s - started_s_;
  settle.background_cpu_percent = cpu_percent(from, to);
  settle.background_disk_iops = rate(from.disk_ios, to.disk_ios, to.t_s - from.t_s);
  settle.background_disk_bytes_per_s = rate(from.disk_bytes, to.disk_bytes, to.t_s - from.t_s);
  return settle;
}

SettleProgress SettleJudge::progress() const {
  SettleProgress p;
  p.limits = limits_;
  p.still_s = limits_.interval_s * std::max(0, limits_.quiet_intervals - quiet_in_a_row_);
  p.quiet_s = limits_.interval_s * quiet_in_a_row_;
  p.gives_up_s = limits_.give_up_s;
  if (window_.empty()) return p;
  p.waited_s = window_.back().t_s - started_s_;
  p.gives_up_s = std::max(0.0, limits_.give_up_s - p.waited_s);
  if (window_.size() < 2) return p;
  const SettleSample& from = window_[window_.size() - 2];
  const SettleSample& to = window_.back();
  p.seen = true;
  p.cpu_percent = cpu_percent(from, to);
  p.disk_iops = rate(from.disk_ios, to.disk_ios, to.t_s - from.t_s);
  return p;
}

}  // namespace fathom::host
