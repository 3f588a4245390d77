// The overhead of probes for a job, as numbers with intervals: in its rate, its median latency, and its CPU time per
// I/O. stats/paired_slices.h computes them; docs/reference/breakdown.md explains them. Which of them a job can show
// depends on what sets its rate: a paced job (rate=, thinktime=) keeps its rate, whatever an I/O costs. Plain data.
#pragma once
#include <cstdint>
#include <string>

namespace fathom::result {

enum class CostBy { nothing, rate, p50, cpu };
constexpr const char* name(CostBy by) {
  constexpr const char* names[] = {"nothing", "rate", "p50", "cpu"};
  return names[static_cast<int>(by)];
}

// When time with and without probes alternated: during the whole run, only in its ramp, or in a separate run (--cost).
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
  CostBy by = CostBy::nothing;  // the quantity that is judged; nothing: not measured
  CostShare rate, p50;          // lost share of the rate; share added to the median
  std::uint64_t slices = 0;     // slices that were compared with the time before them
  double added_ns = 0;          // to a traced I/O
  CostShare cpu = {};           // of the CPU time of the job's own tasks, per I/O
  CostTime cpu_per_io = {};     // the same, in ns
  CostFrom from = CostFrom::slices;
  std::string cause = {};  // why it is not measured, if known
  bool operator==(const WatchingCost&) const = default;
  const CostShare& judged() const { return by == CostBy::p50 ? p50 : by == CostBy::cpu ? cpu : rate; }
  double low() const { return judged().share - judged().half_width; }
  double high() const { return judged().share + judged().half_width; }
};
// The cost of one probe for one job (--cost).
inline constexpr char kDeviceTimeOf[] = "device time of ";  // before a device's name: the probe times its requests
struct WatcherCost {
  std::string watcher;  // "breakdown", "audit", or the name of a cross-check: "tracepoints", "PCIe PMU pcie_bdf_200"
  std::string job;      // "accesses" for `fathom paging`; empty: it could not be switched on, and costs nothing
  int job_number = 0;
  WatchingCost cost;
  bool operator==(const WatcherCost&) const = default;
};
// True: there is something to report.
inline bool is_told(const WatchingCost& cost) { return cost.by != CostBy::nothing || !cost.cause.empty(); }
inline constexpr double kMostCost = 0.02;

// below: only if the whole interval is below kMostCost; above: only if all of it is above.
enum class CostVerdict { not_measured, too_few, below, above, unsure };
inline CostVerdict verdict(const WatchingCost& cost) {
  if (cost.by == CostBy::nothing) return CostVerdict::not_measured;
  if (cost.judged().half_width < 0) return CostVerdict::too_few;
  if (cost.high() < kMostCost) return CostVerdict::below;
  return cost.low() > kMostCost ? CostVerdict::above : CostVerdict::unsure;
}

}  // namespace fathom::result
