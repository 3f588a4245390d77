// Measures cost, resolution and order of every clock.
#include "clock/sources/measure_source.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/system/affinity.h"
#include "clock/sources/bracket.h"

namespace fathom::clock::sources {
namespace {

constexpr std::size_t kMostBlocks = 2048;
constexpr std::size_t kMostReadings = 65536;
constexpr std::size_t kReadingsBetweenLooks = 1024;

// This function and the next end at the deadline, an absolute value of the CPU clock. They run at least once, even if
// another program used up the time before.
template <class Clock>
std::vector<std::uint64_t> time_blocks(std::uint64_t deadline) {
  std::vector<std::uint64_t> ticks;
  ticks.reserve(kMostBlocks);
  std::uint64_t begin = 0;
  do {
    begin = OrderedCpuClock::now().v;
    for (unsigned i = 0; i < kReadsPerBlock; ++i) {
      [[maybe_unused]] volatile std::uint64_t reading = Clock::now().v;
    }
    ticks.push_back(OrderedCpuClock::now().v - begin);
  } while (ticks.size() < kMostBlocks && begin < deadline);
  return ticks;
}

template <class Clock>
std::vector<std::uint64_t> read_in_a_row(std::uint64_t deadline) {
  std::vector<std::uint64_t> readings;
  readings.reserve(kMostReadings);
  do {
    for (std::size_t i = 0; i < kReadingsBetweenLooks; ++i) readings.push_back(Clock::now().v);
  } while (readings.size() < kMostReadings && CpuClock::now().v < deadline);
  return readings;
}

ReadCost scaled(const ReadCost& ticks, double factor) {
  return {ticks.min * factor, ticks.p50 * factor, ticks.p99 * factor};
}

template <class Clock>
SourceMeasure measure(const Conversion& conversion, std::uint64_t max_ns) {
  const base::system::StayOnThisCpu stay;
  const std::uint64_t half = conversion.to_ticks({max_ns / 2}).v;
  const double ns_per_tick = 1e9 / conversion.ticks_per_second();
  const double ns_per_own_tick = Clock::kCountsNanoseconds ? 1.0 : ns_per_tick;
  SourceMeasure m;
  m.source = Clock::kSource;
  m.cost_ticks = cost_of(time_blocks<Clock>(CpuClock::now().v + half));
  m.cost_ns = scaled(m.cost_ticks, ns_per_tick);
  const auto readings = read_in_a_row<Clock>(CpuClock::now().v + half);
  const auto steps = steps_of(readings);
  m.smallest_step_ticks = steps.smallest;
  m.smallest_step_ns = static_cast<double>(steps.smallest) * ns_per_own_tick;
  m.resolution_ticks = steps.resolution;
  m.resolution_ns = static_cast<double>(steps.resolution) * ns_per_own_tick;
  m.reads = readings.size();
  m.backward_steps = steps.backward;
  return m;
}

struct Variant {
  std::string_view name;
  Source source;
  bool for_runs;
  SourceMeasure (*measure)(const Conversion&, std::uint64_t);
};

template <class Clock>
constexpr Variant variant(std::string_view name, bool for_runs) {
  return {name, Clock::kSource, for_runs, measure<Clock>};
}

constexpr Variant kVariants[] = {
#if defined(__x86_64__)
    variant<CpuClock>("cpu: rdtsc", true),
    variant<RdtscpClock>("cpu: rdtscp", false),
    variant<FencedClock>("cpu: lfence; rdtsc; lfence", false),
#else
    variant<CpuClock>("cpu: isb; cntvct_el0", true),
#endif
    variant<MonotonicClock>("clock_gettime: CLOCK_MONOTONIC", true),
    variant<MonotonicRawClock>("clock_gettime: CLOCK_MONOTONIC_RAW", false),
    variant<GettimeofdayClock>("gettimeofday", true),
};

SourceMeasure measure_variant(const Variant& v, const Conversion& conversion, std::uint64_t max_ns) {
  auto m = v.measure(conversion, max_ns);
  m.name = v.name;
  m.for_runs = v.for_runs;
  return m;
}

}  // namespace

std::vector<SourceMeasure> measure_sources(const Conversion& conversion, std::uint64_t max_ns_each) {
  std::vector<SourceMeasure> measures;
  for (const auto& v : kVariants) measures.push_back(measure_variant(v, conversion, max_ns_each));
  return measures;
}

SourceMeasure measure_source(Source source, const Conversion& conversion, std::uint64_t max_ns) {
  const auto row = std::find_if(std::begin(kVariants), std::end(kVariants),
                                [&](const Variant& v) { return v.for_runs && v.source == source; });
  return measure_variant(*row, conversion, max_ns);
}

namespace {

using StepCounts = std::map<std::uint64_t, std::size_t>;

StepCounts count_steps(std::span<const std::uint64_t> readings) {
  StepCounts counts;
  for (std::size_t i = 1; i < readings.size(); ++i)
    if (readings[i] >= readings[i - 1]) ++counts[readings[i] - readings[i - 1]];
  return counts;
}

// Some processors (AMD's) never return a value twice. A second read within a step of 26 ticks returns one more, and the
// next step is 25. A step of one is then a repetition. It is recognized by two missing things: equal values, and steps
// between one and the next step.
bool never_twice(const StepCounts& counts) {
  constexpr std::uint64_t kNothingBelow = 8;
  const auto one = counts.begin();
  return one != counts.end() && one->first == 1 && std::next(one) != counts.end() &&
         std::next(one)->first >= kNothingBelow;
}

std::vector<std::uint64_t> without_repetitions(std::span<const std::uint64_t> readings) {
  std::vector<std::uint64_t> moved;
  for (std::size_t i = 0; i < readings.size(); ++i)
    if (i == 0 || readings[i] != readings[i - 1] + 1) moved.push_back(readings[i]);
  return moved;
}

}  // namespace

Steps steps_of(std::span<const std::uint64_t> readings) {
  Steps steps;
  for (std::size_t i = 1; i < readings.size(); ++i) steps.backward += readings[i] < readings[i - 1];
  auto counts = count_steps(readings);
  const bool repeats = never_twice(counts);
  counts.erase(0);
  if (counts.empty()) return steps;
  steps.smallest = counts.begin()->first;
  if (repeats) counts = count_steps(without_repetitions(readings));
  const auto often = std::find_if(counts.begin(), counts.end(),
                                  [&](const auto& step) { return step.second * 100 >= readings.size(); });
  steps.resolution = often != counts.end() ? often->first : steps.smallest;
  return steps;
}

ReadCost cost_of(std::span<const std::uint64_t> block_ticks) {
  if (block_ticks.empty()) return {};
  std::vector<std::uint64_t> sorted(block_ticks.begin(), block_ticks.end());
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](std::size_t percent) {
    return static_cast<double>(sorted[(sorted.size() - 1) * percent / 100]) / kReadsPerBlock;
  };
  return {static_cast<double>(sorted.front()) / kReadsPerBlock, at(50), at(99)};
}

}  // namespace fathom::clock::sources
