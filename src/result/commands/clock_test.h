// Results of `fathom clock test`: the CPUs' counters compared along one agreed sequence, once with each barrier.
// docs/reference/clock.md explains each number. Times are in ticks of the counter. Values in ns follow from them, and
// are 0 if the counter's rate is unknown.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "result/documents.h"

namespace fathom::result {

enum class TestOutcome : std::uint8_t { not_tested, passed, failed };
constexpr const char* name(TestOutcome o) {
  constexpr const char* names[] = {"not tested", "passed", "failed"};
  return names[static_cast<int>(o)];
}

enum class Steadiness : std::uint8_t { unknown, steady, drifts, unsteady };
constexpr const char* name(Steadiness s) {
  constexpr const char* names[] = {"unknown", "steady", "drifts", "unsteady"};
  return names[static_cast<int>(s)];
}

// Outcome for a clock that was made wrong on purpose.
enum class InjectionFate : std::uint8_t {
  not_tested,    // the CPUs could not be compared
  alone,         // one CPU: nothing to compare it with
  within_bound,  // no pair of this CPU that would show this injection alone disagrees
  seen,          // it disagrees with a CPU that has an unchanged clock
  seen_between,  // it disagrees, but only with CPUs that were made wrong too; no other CPU exists
  untold,        // it disagrees, but with this barrier correct counters may disagree too
};
constexpr const char* name(InjectionFate f) {
  constexpr const char* names[] = {"not tested", "alone", "within the bound", "seen", "seen between", "untold"};
  return names[static_cast<int>(f)];
}

struct HandOvers {  // from one CPU of a pair to the other
  std::uint64_t hand_overs = 0, mismatches = 0;
  std::int64_t smallest_gap_ticks = 0;
  std::uint64_t largest_backward_ticks = 0;
};

struct CpuPair {
  unsigned a = 0, b = 0;
  HandOvers a_to_b, b_to_a;
  Steadiness steadiness = Steadiness::unknown;
  std::optional<std::uint64_t> detectable_ticks;
  std::optional<double> offset_ticks, offset_bound_ticks;  // of a steady pair
  std::optional<double> drift_low_ppm, drift_high_ppm;     // of a pair that is steady or drifts; nullopt: no bound
  std::uint64_t mismatches() const { return a_to_b.mismatches + b_to_a.mismatches; }
};

struct CpuReadings {
  unsigned cpu = 0;
  std::uint64_t entries = 0, backward_alone = 0, largest_backward_alone_ticks = 0;
};

struct ClockReading {
  unsigned cpu = 0;
  std::uint64_t tsc = 0;
  std::uint32_t sequence = 0;
};

struct ClockMismatch {
  ClockReading earlier, later;
  std::uint64_t diff_ticks() const { return earlier.tsc - later.tsc; }
};

struct BarrierTest {
  std::string barrier, instruction;
  TestOutcome verdict = TestOutcome::not_tested;
  std::string text;
  std::uint64_t took_ns = 0;
  unsigned attempts = 0;
  std::uint64_t entries = 0, mismatches = 0, largest_backward_ticks = 0, detectable_ticks = 0;
  std::vector<unsigned> at_fault;
  std::vector<CpuReadings> per_cpu;
  std::vector<CpuPair> pairs;
  std::vector<ClockMismatch> first_mismatches;
};

struct InjectedClock {
  unsigned cpu = 0;
  double offset_ns = 0, drift_ppm = 0;
  InjectionFate outcome = InjectionFate::not_tested;
  std::uint64_t detectable_ticks = 0;
};

struct ClockTest {
  static constexpr const char* kFormat = "fathom clock test";

  std::string barrier, barrier_of_runs;  // barrier that decides the verdict; barrier that runs use
  std::vector<unsigned> cpus;
  std::uint32_t entries_per_cpu = 0;
  double ticks_per_second = 0;  // 0: unknown; times are then in ticks
  std::string calibration;
  std::vector<InjectedClock> injected;
  std::string stored, not_stored;
  std::vector<BarrierTest> results;

  // The test that decides the verdict.
  const BarrierTest& decisive() const {
    static const BarrierTest kNone;
    const auto found =
        std::find_if(results.begin(), results.end(), [&](const BarrierTest& test) { return test.barrier == barrier; });
    return found == results.end() ? kNone : *found;
  }
  double ns_of(double ticks) const { return ticks_per_second > 0 ? ticks * (1e9 / ticks_per_second) : 0; }
};

template <class W>
void walk(W& w, Like<HandOvers> auto& over, const ClockTest& test) {
  w.field(Key("hand_overs", "times that the sequence passed from the first CPU to the second"), over.hand_overs);
  w.field(Key("mismatches", "hand-overs with time running backwards"), over.mismatches);
  w.field(Key("smallest_gap_ticks", "smallest gap; below 0 after a mismatch"), over.smallest_gap_ticks);
  w.derived("smallest_gap_ns", [&] { return test.ns_of(static_cast<double>(over.smallest_gap_ticks)); });
  w.field(Key("largest_backward_ticks", "largest backward step; 0: none"), over.largest_backward_ticks);
  w.derived("largest_backward_ns", [&] { return test.ns_of(static_cast<double>(over.largest_backward_ticks)); });
}

template <class W>
void walk(W& w, Like<CpuPair> auto& pair, const ClockTest& test) {
  w.field(Key("cpu_a", "number of the first CPU"), pair.a);
  w.field(Key("cpu_b", "number of the second CPU, a higher one"), pair.b);
  w.part(Key("a_to_b", "hand-overs from a to b"), pair.a_to_b, test);
  w.part(Key("b_to_a", "hand-overs from b to a"), pair.b_to_a, test);
  w.field(Key("steadiness", "steadiness of the offset"), pair.steadiness, Steadiness::unsteady);
  w.maybe(Key("detectable_ticks", "smallest offset that the test detects; absent: nothing bounds it"),
          pair.detectable_ticks);
  if (pair.detectable_ticks)
    w.derived("detectable_ns", [&] { return test.ns_of(static_cast<double>(*pair.detectable_ticks)); });
  if (pair.offset_ticks) w.derived("offset_ns", [&] { return test.ns_of(*pair.offset_ticks); });
  if (pair.offset_bound_ticks) w.derived("offset_bound_ns", [&] { return test.ns_of(*pair.offset_bound_ticks); });
  w.maybe(Key("offset_ticks", "offset of b relative to a, if it is steady"), pair.offset_ticks);
  w.maybe(Key("offset_bound_ticks", "error of the offset, in either direction"), pair.offset_bound_ticks);
  w.maybe(Key("drift_low_ppm", "low end of the rates of b relative to a that the hand-overs allow"),
          pair.drift_low_ppm);
  w.maybe(Key("drift_high_ppm", "high end of these rates"), pair.drift_high_ppm);
}

template <class W>
void walk(W& w, Like<CpuReadings> auto& readings) {
  w.field(Key("cpu", "number of the CPU"), readings.cpu);
  w.field(Key("entries", "number of readings"), readings.entries);
  w.field(Key("backward_alone", "mismatches of this CPU with itself"), readings.backward_alone);
  w.field(Key("largest_backward_alone_ticks", "largest of these backward steps"),
          readings.largest_backward_alone_ticks);
}

template <class W>
void walk(W& w, Like<ClockReading> auto& reading) {
  w.field(Key("cpu", "number of the CPU"), reading.cpu);
  w.field(Key("tsc", "value of the counter"), reading.tsc);
  w.field(Key("seq", "position in the sequence"), reading.sequence);
}

template <class W>
void walk(W& w, Like<ClockMismatch> auto& mismatch) {
  w.derived("diff_ticks", [&] { return mismatch.diff_ticks(); });
  w.part(Key("earlier", "earlier reading in the sequence"), mismatch.earlier);
  w.part(Key("later", "later reading in the sequence"), mismatch.later);
}

template <class W>
void walk(W& w, Like<BarrierTest> auto& result, const ClockTest& test) {
  w.field(Key("barrier", "name of the barrier"), result.barrier);
  w.field(Key("instruction", "instruction of the barrier"), result.instruction);
  w.field(Key("verdict", "`not tested`, `passed`, `failed`"), result.verdict, TestOutcome::failed);
  w.field(Key("words", "sentence: the verdict"), result.text);
  w.field(Key("took_ns", "time of all attempts"), result.took_ns);
  w.field(Key("attempts", "attempts until the CPUs ran at the same time"), result.attempts);
  w.field(Key("entries", "number of readings"), result.entries);
  w.field(Key("mismatches", "neighbors in the sequence with time running backwards"), result.mismatches);
  w.field(Key("largest_backward_ticks", "largest backward step; 0: none"), result.largest_backward_ticks);
  w.derived("largest_backward_ns", [&] { return test.ns_of(static_cast<double>(result.largest_backward_ticks)); });
  w.field(Key("detectable_ticks", "smallest offset that the test detects, for the worst pair; 0: nothing bounds it"),
          result.detectable_ticks);
  w.derived("detectable_ns", [&] { return test.ns_of(static_cast<double>(result.detectable_ticks)); });
  w.numbers(Key("at_fault", "CPUs that explain the mismatches"), result.at_fault);
  w.list(Key("per_cpu", "one per CPU"), "cpu", result.per_cpu);
  w.list(Key("pairs", "one per pair of CPUs"), "pair", result.pairs, test);
  w.list(Key("first_mismatches", "the first mismatches, at most 8"), "mismatch", result.first_mismatches);
}

template <class W>
void walk(W& w, Like<InjectedClock> auto& injected) {
  w.field(Key("cpu", "number of the CPU"), injected.cpu);
  w.field(Key("offset_ns", "offset added to its clock"), injected.offset_ns);
  w.field(Key("drift_ppm", "drift added to its clock, from the start on"), injected.drift_ppm);
  w.field(Key("outcome", "outcome of the injection"), injected.outcome, InjectionFate::untold);
  w.field(Key("detectable_ticks", "smallest offset of this CPU that the test detects; 0: unknown"),
          injected.detectable_ticks);
}

template <class W>
void walk(W& w, Like<ClockTest> auto& test) {
  w.derived("verdict", [&] { return name(test.decisive().verdict); });
  w.derived("words", [&] { return test.decisive().text; });
  w.field(Key("barrier", "barrier that decides `verdict`"), test.barrier);
  w.field(Key("barrier_of_runs", "barrier that decides the verdict for runs"), test.barrier_of_runs);
  w.numbers(Key("cpus", "CPUs in the test"), test.cpus);
  w.field(Key("entries_per_cpu", "requested readings per CPU"), test.entries_per_cpu);
  w.field(Key("ticks_per_second", "rate of the counter; 0: unknown"), test.ticks_per_second);
  w.field(Key("calibration", "how the rate was determined, or why it is unknown"), test.calibration);
  w.list(Key("injected", "clocks with an injected error"), "clock", test.injected);
  w.field(Key("stored", "file of the stored verdict; empty: not stored"), test.stored);
  w.field(Key("not_stored", "why the verdict was not stored"), test.not_stored);
  w.list(Key("results", "one per barrier"), "result", test.results, test);
}

}  // namespace fathom::result
