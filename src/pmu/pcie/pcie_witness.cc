// There are two ways to count. Alone: every event is pinned to a separate counter, and the count is exact. By slots:
// there are more events than counters, or another user holds a counter. Then the thread of a SlotRunner reads, and the
// count is an estimate. begin() finds the way: a pinned event that gets no counter returns an empty read at once.
// The link's events have another counter than the payload's (drivers/perf/dwc_pcie_pmu.c: one per type). So a separate
// cross-check counts them in turns, and the bytes stay exact.
#include "pmu/pcie/pcie_witness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "pmu/counters.h"
#include "pmu/pcie/pcie_watch.h"
#include "pmu/slots/slot_runner.h"
#include "result/findings/once.h"
#include "result/findings/rows.h"

namespace fathom::pmu::pcie {
namespace {

using Clock = std::chrono::steady_clock;
using result::Count;
using result::WitnessReport;
using result::findings::found;

class PcieWitness final : public result::Witness {
 public:
  explicit PcieWitness(PcieWitnessOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "PCIe PMU " + options_.pmu.pmu; }
  bool burdens() const override { return true; }
  base::Expected<void> begin() override;
  void tick() override { read_alone(); }
  WitnessReport end() override;

 private:
  base::Expected<Counters> open(bool pinned) const;
  base::Expected<bool> begin_alone();
  base::Expected<void> begin_slots();
  void read_alone();
  void end_alone();
  void end_slots();
  void add_alone(const WatchedRow& row);
  void add_slots(const WatchedRow& row, const slots::SlotRun& run);
  void add(Count count);
  void find(const char* id, std::vector<result::FindingValue> values, const char* variant = "");
  void find_lost(double at_s);
  double since_begin_s() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

  PcieWitnessOptions options_;
  Watch watch_;
  Clock::time_point begun_;
  std::optional<Counters> alone_;
  std::vector<events::EventCount> counts_;  // alone: as last read
  std::optional<double> lost_at_s_;
  double window_s_ = 0;
  std::unique_ptr<slots::SlotRunner> slots_;
  std::vector<std::string> unseen_;  // rows with too few slots
  std::size_t most_slots_ = 0;       // in such a row
  WitnessReport report_;
};

void PcieWitness::find(const char* id, std::vector<result::FindingValue> values, const char* variant) {
  values.push_back({"pmu", options_.pmu.pmu});
  report_.findings.push_back(found(id, {.variant = variant, .values = std::move(values)}));
}

void PcieWitness::find_lost(double at_s) {
  lost_at_s_ = at_s;
  find("pcie_pmu.lost", {{"lost_at_s", at_s}});
}

base::Expected<Counters> PcieWitness::open(bool pinned) const {
  auto events = watch_.events;
  for (auto& event : events) event.pinned = pinned;
  OpenOptions how;
  how.all_cpus = true;
  how.calls = options_.calls;
  return Counters::open(std::move(events), how);
}

base::Expected<void> PcieWitness::begin() {
  auto watched = watch(options_.pmu, *options_.sources,
                       {options_.reads, options_.writes, options_.link_events, options_.unit_bytes});
  if (!watched) return watched.error();
  watch_ = std::move(*watched);
  for (const auto& what : watch_.missing) find("pcie_pmu.no_event", {{"what", what}});
  begun_ = Clock::now();
  if (watch_.events.size() > watch_.counters) return begin_slots();
  auto begun = begin_alone();
  if (!begun) return begun.error();
  if (*begun) return {};
  find("pcie_pmu.shared", {});
  return begin_slots();
}

// False: another user holds a counter that these events need.
base::Expected<bool> PcieWitness::begin_alone() {
  auto counters = open(true);
  if (!counters) return counters.error();
  begun_ = Clock::now();
  auto enabled = counters->enable();
  if (!enabled) return enabled.error();
  counts_ = counters->read();
  const auto taken = [](const events::EventCount& count) { return count.state == events::CountState::taken; };
  if (std::any_of(counts_.begin(), counts_.end(), taken)) return false;
  alone_ = std::move(*counters);
  return true;
}

base::Expected<void> PcieWitness::begin_slots() {
  auto counters = open(false);
  if (!counters) return counters.error();
  slots::SlotRunnerOptions how;
  how.plans = {options_.slots};
  how.seed = options_.seed;
  begun_ = Clock::now();
  auto started = slots::SlotRunner::start(std::move(*counters), how);
  if (!started) return started.error();
  slots_ = std::move(*started);
  return {};
}

// If a pinned event counted before and an empty read follows, its counter was lost or its PMU was removed.
void PcieWitness::read_alone() {
  if (!alone_ || lost_at_s_) return;
  const auto now = alone_->read();
  for (const auto& count : now) {
    if (count.state != events::CountState::lost && count.state != events::CountState::taken) continue;
    counts_ = now;
    return find_lost(since_begin_s());
  }
  counts_ = now;
}

void PcieWitness::add(Count count) {
  if (options_.idle) count.source = "idle_pcie";
  count.window_s = lost_at_s_.value_or(window_s_);
  count.lost_at_s = lost_at_s_;
  report_.counts.push_back(std::move(count));
}

void PcieWitness::add_alone(const WatchedRow& row) {
  Count count = row.count;
  for (const std::size_t i : row.events) {
    const events::EventCount& seen = counts_[i];
    const double scale = watch_.events[i].scale;
    if (seen.running_ns == 0) {
      find("pcie_pmu.not_counted", {{"event", count.name}});
      return;
    }
    count.raw += static_cast<double>(seen.raw);
    count.value += static_cast<double>(seen.raw) * scale;
  }
  count.low = count.high = count.value;
  add(std::move(count));
}

void PcieWitness::add_slots(const WatchedRow& row, const slots::SlotRun& run) {
  Count count = row.count;
  std::vector<slots::Estimate> parts;
  for (const std::size_t i : row.events) {
    const double scale = watch_.events[i].scale;
    slots::Estimate part =
        slots::estimate(run.slots, static_cast<std::uint32_t>(i), run.window_ns, options_.confidence);
    part.total *= scale, part.low *= scale, part.high *= scale;
    parts.push_back(part);
    count.raw += static_cast<double>(run.counts[i].raw);
    count.aliased |= slots::locked(run.slots, static_cast<std::uint32_t>(i));
  }
  const slots::Estimate all = sum(parts);
  if (all.confidence <= 0) {
    unseen_.push_back(count.name);
    most_slots_ = std::max(most_slots_, all.slots);
    return;
  }
  if (count.aliased) find("pcie_pmu.aliased", {{"event", count.name}});
  count.value = all.total, count.low = all.low, count.high = all.high;
  count.confidence = all.confidence;
  add(std::move(count));
}

void PcieWitness::end_alone() {
  if (!lost_at_s_) {
    const bool stopped = alone_->disable().ok();
    window_s_ = since_begin_s();
    read_alone();
    if (!stopped && !lost_at_s_) find_lost(window_s_);
  }
  for (const auto& row : watch_.rows) add_alone(row);
  alone_.reset();
}

void PcieWitness::end_slots() {
  const slots::SlotRun run = slots_->finish();
  slots_.reset();
  window_s_ = run.window_ns / 1e9;
  if (run.lost_at_ns) find_lost(*run.lost_at_ns / 1e9);
  for (const auto& row : watch_.rows) add_slots(row, run);
  if (unseen_.empty()) return;
  find("pcie_pmu.not_counted",
       {{"events", fmt::format("{}", fmt::join(unseen_, ", "))}, {"slots", most_slots_}, {"window_s", window_s_}},
       "few_slots");
}

WitnessReport PcieWitness::end() {
  if (alone_) end_alone();
  if (slots_) end_slots();
  return std::move(report_);
}

// Bytes and link of one PMU. The link explains, but does not decide: if it cannot be counted, a note reports it.
class PcieWitnesses final : public result::Witness {
 public:
  PcieWitnesses(PcieWitnessOptions bytes, PcieWitnessOptions link) : bytes_(std::move(bytes)), link_(std::move(link)) {}
  std::string name() const override { return bytes_.name(); }
  bool burdens() const override { return true; }
  base::Expected<void> begin() override {
    auto begun = bytes_.begin();
    if (!begun) return begun;
    const auto link = link_.begin();
    counts_link_ = link.ok();
    if (!counts_link_) no_link_ = link.error().what + (link.error().cause.empty() ? "" : ": " + link.error().cause);
    return {};
  }
  void tick() override {
    bytes_.tick();
    if (counts_link_) link_.tick();
  }
  WitnessReport end() override;

 private:
  PcieWitness bytes_, link_;
  bool counts_link_ = false;
  std::string no_link_;  // the reason
};

// A removed PMU was lost for both, which is reported once.
WitnessReport PcieWitnesses::end() {
  WitnessReport all = bytes_.end();
  if (!counts_link_) {
    all.findings.push_back(found("pcie_pmu.no_event", {.variant = "link", .values = {{"cause", no_link_}}}));
    return all;
  }
  WitnessReport link = link_.end();
  for (auto& count : link.counts) all.counts.push_back(std::move(count));
  for (auto& finding : link.findings) result::findings::add_once(all.findings, std::move(finding));
  return all;
}

}  // namespace

std::unique_ptr<result::Witness> make_pcie_witness(PcieWitnessOptions options) {
  options.link_events = options.link_events && !options.idle;
  if (!options.link_events || !(options.reads || options.writes))
    return std::make_unique<PcieWitness>(std::move(options));
  PcieWitnessOptions link = options;
  link.reads = link.writes = options.link_events = false;
  return std::make_unique<PcieWitnesses>(std::move(options), std::move(link));
}

}  // namespace fathom::pmu::pcie
