// What being watched costs a job, as numbers with intervals: of its rate, of its median latency, of its CPU time an I/O.
// How they are found: stats/paired_slices.h; docs/reference/breakdown.md says how to read them. Which of them a job can show
// depends on who sets its rate: one that is paced (rate=, thinktime=) keeps it, whatever an I/O costs. Plain data.
#pragma once
#include <cstdint>
#include <string>

namespace fathom::result {

enum class CostBy { nothing, rate, p50, cpu };
constexpr const char* name(CostBy by) {
  constexpr const char* names[] = {"nothing", "rate", "p50", "cpu"};
  return names[static_cast<int>(by)];
}

// When watched and unwatched time took turns: all through the run, in its ramp only, or in a run of its own (--cost).
enum class CostFrom { slices, ramp, cost_run };
constexpr const char* name(CostFrom from) {
  constexpr const char* names[] = {"slices", "ramp", "cost_run"};
  return names[static_cast<int>(from)];
}

struct CostShare {
  double share = 0, half_width = -1;  // of the 95 % interval, by slices; negative: too few
  bool operator==(const CostShare&) const = default;
};
struct CostTime {
  double ns = 0, half_width_ns = -1;
  bool operator==(const CostTime&) const = default;
};

struct WatchingCost {
  CostBy by = CostBy::nothing;  // what the judgement is by; nothing: not measured
  CostShare rate, p50;          // what is lost, what is added
  std::uint64_t slices = 0;     // that were held against the time before them
  double added_ns = 0;          // to an I/O that is watched
  CostShare cpu = {};           // of the CPU time of the job's own tasks, an I/O
  CostTime cpu_per_io = {};     // the same, in ns
  CostFrom from = CostFrom::slices;
  std::string cause = {};  // why it is not measured, where that is known
  bool operator==(const WatchingCost&) const = default;
  const CostShare& judged() const { return by == CostBy::p50 ? p50 : by == CostBy::cpu ? cpu : rate; }
  double low() const { return judged().share - judged().half_width; }
  double high() const { return judged().share + judged().half_width; }
};
// What one watcher costs one job (--cost).
inline constexpr char kDeviceTimeOf[] = "device time of ";  // and its name: who times a device's requests
struct WatcherCost {
  std::string watcher;  // "breakdown", "audit", or a witness by its name: "tracepoints", "PCIe PMU pcie_bdf_200"
  std::string job;      // "accesses" of `fathom paging`; empty: it could not be switched on, and costs nobody anything
  int job_number = 0;
  WatchingCost cost;
  bool operator==(const WatcherCost&) const = default;
};
// There is something to say of it.
inline bool is_told(const WatchingCost& cost) { return cost.by != CostBy::nothing || !cost.cause.empty(); }
inline constexpr double kMostCost = 0.02;

// Below is only said where the whole interval is, above where all of it is.
enum class CostVerdict { not_measured, too_few, below, above, unsure };
inline CostVerdict verdict(const WatchingCost& cost) {
  if (cost.by == CostBy::nothing) return CostVerdict::not_measured;
  if (cost.judged().half_width < 0) return CostVerdict::too_few;
  if (cost.high() < kMostCost) return CostVerdict::below;
  return cost.low() > kMostCost ? CostVerdict::above : CostVerdict::unsure;
}

}  // namespace fathom::result
