// A table of pairs: an event, its divisor, and the name of the quotient. Any other event is divided by the time of a
// clock event that was counted in the same place.
#include "session/counters/stat_metrics.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <optional>
#include <string>

namespace fathom::session::counters {
namespace {

using pmu::events::Event;

constexpr std::uint64_t cache(std::uint64_t id, std::uint64_t result) {
  return id | std::uint64_t{PERF_COUNT_HW_CACHE_OP_READ} << 8 | result << 16;
}
constexpr std::uint64_t kMiss = PERF_COUNT_HW_CACHE_RESULT_MISS, kAccess = PERF_COUNT_HW_CACHE_RESULT_ACCESS;

struct Pair {
  std::uint32_t type;
  std::uint64_t part, whole;
  double times;  // 100: percent
  const char* unit;
};
constexpr Pair kPairs[] = {
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, 1, "insn per cycle"},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 100, "of all branches"},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_REFERENCES, 100, "of all cache refs"},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, PERF_COUNT_HW_CPU_CYCLES, 100, "frontend cycles idle"},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, PERF_COUNT_HW_CPU_CYCLES, 100, "backend cycles idle"},
    {PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_L1D, kMiss), cache(PERF_COUNT_HW_CACHE_L1D, kAccess), 100,
     "of all L1-dcache accesses"},
    {PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_L1I, kMiss), cache(PERF_COUNT_HW_CACHE_L1I, kAccess), 100,
     "of all L1-icache accesses"},
    {PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_LL, kMiss), cache(PERF_COUNT_HW_CACHE_LL, kAccess), 100,
     "of all LL-cache accesses"},
    {PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_DTLB, kMiss), cache(PERF_COUNT_HW_CACHE_DTLB, kAccess), 100,
     "of all dTLB cache accesses"},
    {PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_ITLB, kMiss), cache(PERF_COUNT_HW_CACHE_ITLB, kAccess), 100,
     "of all iTLB cache accesses"},
};

constexpr int kKindShift = 32;  // the bits above have the type of a core's PMU
std::uint64_t plain(const Event& event) { return event.config[0] & 0xffff'ffff; }

bool is_clock(const Event& event) {
  return event.type == PERF_TYPE_SOFTWARE &&
         (event.config[0] == PERF_COUNT_SW_CPU_CLOCK || event.config[0] == PERF_COUNT_SW_TASK_CLOCK);
}

class Metrics {
 public:
  Metrics(const StatFound& found, std::span<const Event> events, double window_ns,
          const std::vector<result::PmuRow>& rows)
      : found_(found), events_(events), window_ns_(window_ns), rows_(rows) {}
  std::optional<result::PmuMetric> of(std::size_t row) const;

 private:
  const Event& event(std::size_t row) const { return events_[found_.events[row].parts.front()]; }
  std::optional<double> partner(std::size_t row, const Pair& pair) const;
  double clock_ns(std::size_t row) const;

  const StatFound& found_;
  std::span<const Event> events_;
  double window_ns_;
  const std::vector<result::PmuRow>& rows_;
};

std::optional<double> Metrics::partner(std::size_t row, const Pair& pair) const {
  const Event& part = event(row);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Event& whole = event(i);
    if (rows_[i].has_number() && whole.type == pair.type && plain(whole) == pair.whole && whole.place == part.place &&
        whole.config[0] >> kKindShift == part.config[0] >> kKindShift && whole.exclude_user == part.exclude_user &&
        whole.exclude_kernel == part.exclude_kernel)
      return rows_[i].count;
  }
  return std::nullopt;
}

// 0: no clock event was counted in that place.
double Metrics::clock_ns(std::size_t row) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].has_number() && is_clock(event(i)) && event(i).place == event(row).place)
      return rows_[i].count / found_.events[i].scale;
  return 0;
}

result::PmuMetric per_second(double per_s) {
  constexpr const char* kUnits[] = {"/sec", "K/sec", "M/sec", "G/sec"};
  std::size_t power = 0;
  for (; per_s >= 1000 && power + 1 < std::size(kUnits); ++power) per_s /= 1000;
  return {per_s, kUnits[power]};
}

std::optional<result::PmuMetric> Metrics::of(std::size_t row) const {
  const double count = rows_[row].count, clock = clock_ns(row);
  const Event& of_row = event(row);
  if (is_clock(of_row)) {
    if (window_ns_ <= 0) return std::nullopt;
    return result::PmuMetric{count / found_.events[row].scale / window_ns_, "CPUs utilized"};
  }
  for (const auto& pair : kPairs) {
    if (of_row.type != pair.type || plain(of_row) != pair.part) continue;
    const auto whole = partner(row, pair);
    if (whole) return result::PmuMetric{*whole > 0 ? pair.times * count / *whole : 0, pair.unit};
    if (plain(of_row) == PERF_COUNT_HW_INSTRUCTIONS && of_row.type == PERF_TYPE_HARDWARE) return std::nullopt;
  }
  if (clock <= 0) return std::nullopt;
  if (of_row.type == PERF_TYPE_HARDWARE && plain(of_row) == PERF_COUNT_HW_CPU_CYCLES)
    return result::PmuMetric{count / clock, "GHz"};
  return per_second(1e9 * count / clock);
}

}  // namespace

void add_metrics(const StatFound& found, std::span<const Event> events, double window_ns,
                 std::vector<result::PmuRow>& rows) {
  const Metrics metrics(found, events, window_ns, rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].has_number() && !rows[i].rule && !rows[i].window_percent && !rows[i].slots)
      rows[i].metric = metrics.of(i);
}

}  // namespace fathom::session::counters
