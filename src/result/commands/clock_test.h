// What `fathom clock test` found: the counters of the CPUs held against each other along one agreed sequence, once with
// each barrier. docs/reference/metrics.md says what each number means. Times are in ticks of the counter; what is in ns
// follows from them and is 0 where the counter's rate is not known.
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

// What became of a clock that was made wrong on purpose.
enum class InjectionFate : std::uint8_t {
  not_tested,    // the CPUs could not be compared
  alone,         // one CPU: nothing to compare it with
  within_bound,  // no pair of this CPU disagrees that would show this injection alone
  seen,          // it disagrees with a CPU whose clock was left as it is
  seen_between,  // it disagrees, but only with CPUs made wrong too, and no other is there
  untold,        // it disagrees, but with this barrier sound counters may disagree too
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
  std::optional<double> offset_ticks, offset_bound_ticks;  // of a steady one
  std::optional<double> drift_low_ppm, drift_high_ppm;     // of one that is steady or drifts; none: nothing bounds it
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

  std::string barrier, barrier_of_runs;  // whose verdict it is; what runs rely on
  std::vector<unsigned> cpus;
  std::uint32_t entries_per_cpu = 0;
  double ticks_per_second = 0;  // 0: not known, then times are in ticks
  std::string calibration;
  std::vector<InjectedClock> injected;
  std::string stored, not_stored;
  std::vector<BarrierTest> results;

  // The one whose verdict it is.
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
  w.field(Key("hand_overs", "times that the sequence passed from the one to the other"), over.hand_overs);
  w.field(Key("mismatches", "of them in which time ran backwards"), over.mismatches);
  w.field(Key("smallest_gap_ticks", "below 0 after a mismatch"), over.smallest_gap_ticks);
  w.derived("smallest_gap_ns", [&] { return test.ns_of(static_cast<double>(over.smallest_gap_ticks)); });
  w.field(Key("largest_backward_ticks", "0: none"), over.largest_backward_ticks);
  w.derived("largest_backward_ns", [&] { return test.ns_of(static_cast<double>(over.largest_backward_ticks)); });
}

template <class W>
void walk(W& w, Like<CpuPair> auto& pair, const ClockTest& test) {
  w.field(Key("cpu_a", "its number"), pair.a);
  w.field(Key("cpu_b", "a higher one"), pair.b);
  w.part(Key("a_to_b", "hand-overs"), pair.a_to_b, test);
  w.part(Key("b_to_a", "hand-overs"), pair.b_to_a, test);
  w.field(Key("steadiness", "of the offset"), pair.steadiness, Steadiness::unsteady);
  w.maybe(Key("detectable_ticks", "the smallest offset that shows; absent: nothing bounds it"), pair.detectable_ticks);
  if (pair.detectable_ticks)
    w.derived("detectable_ns", [&] { return test.ns_of(static_cast<double>(*pair.detectable_ticks)); });
  if (pair.offset_ticks) w.derived("offset_ns", [&] { return test.ns_of(*pair.offset_ticks); });
  if (pair.offset_bound_ticks) w.derived("offset_bound_ns", [&] { return test.ns_of(*pair.offset_bound_ticks); });
  w.maybe(Key("offset_ticks", "of a steady one: b against a"), pair.offset_ticks);
  w.maybe(Key("offset_bound_ticks", "its error, either way"), pair.offset_bound_ticks);
  w.maybe(Key("drift_low_ppm", "the rates of b against a that the hand-overs allow"), pair.drift_low_ppm);
  w.maybe(Key("drift_high_ppm", "their upper end"), pair.drift_high_ppm);
}

template <class W>
void walk(W& w, Like<CpuReadings> auto& readings) {
  w.field(Key("cpu", "its number"), readings.cpu);
  w.field(Key("entries", "readings taken"), readings.entries);
  w.field(Key("backward_alone", "mismatches of this CPU with itself"), readings.backward_alone);
  w.field(Key("largest_backward_alone_ticks", "of these"), readings.largest_backward_alone_ticks);
}

template <class W>
void walk(W& w, Like<ClockReading> auto& reading) {
  w.field(Key("cpu", "its number"), reading.cpu);
  w.field(Key("tsc", "what it read"), reading.tsc);
  w.field(Key("seq", "its place in the sequence"), reading.sequence);
}

template <class W>
void walk(W& w, Like<ClockMismatch> auto& mismatch) {
  w.derived("diff_ticks", [&] { return mismatch.diff_ticks(); });
  w.part(Key("earlier", "in the sequence"), mismatch.earlier);
  w.part(Key("later", "in the sequence"), mismatch.later);
}

template <class W>
void walk(W& w, Like<BarrierTest> auto& result, const ClockTest& test) {
  w.field(Key("barrier", "its name"), result.barrier);
  w.field(Key("instruction", "what it is"), result.instruction);
  w.field(Key("verdict", "`not tested`, `passed`, `failed`"), result.verdict, TestOutcome::failed);
  w.field(Key("words", "a sentence"), result.text);
  w.field(Key("took_ns", "of all attempts"), result.took_ns);
  w.field(Key("attempts", "until the CPUs ran at the same time"), result.attempts);
  w.field(Key("entries", "readings taken"), result.entries);
  w.field(Key("mismatches", "neighbours whose time runs backwards"), result.mismatches);
  w.field(Key("largest_backward_ticks", "0: none"), result.largest_backward_ticks);
  w.derived("largest_backward_ns", [&] { return test.ns_of(static_cast<double>(result.largest_backward_ticks)); });
  w.field(Key("detectable_ticks", "of the worst pair; 0: nothing bounds it"), result.detectable_ticks);
  w.derived("detectable_ns", [&] { return test.ns_of(static_cast<double>(result.detectable_ticks)); });
  w.numbers(Key("at_fault", "CPUs that explain the mismatches"), result.at_fault);
  w.list(Key("per_cpu", "one for each"), "cpu", result.per_cpu);
  w.list(Key("pairs", "each CPU with each other"), "pair", result.pairs, test);
  w.list(Key("first_mismatches", "at most 8"), "mismatch", result.first_mismatches);
}

template <class W>
void walk(W& w, Like<InjectedClock> auto& injected) {
  w.field(Key("cpu", "its number"), injected.cpu);
  w.field(Key("offset_ns", "added to its clock"), injected.offset_ns);
  w.field(Key("drift_ppm", "that grows from the start"), injected.drift_ppm);
  w.field(Key("outcome", "what became of it"), injected.outcome, InjectionFate::untold);
  w.field(Key("detectable_ticks", "the smallest offset of this CPU that shows; 0: not known"),
          injected.detectable_ticks);
}

template <class W>
void walk(W& w, Like<ClockTest> auto& test) {
  w.derived("verdict", [&] { return name(test.decisive().verdict); });
  w.derived("words", [&] { return test.decisive().text; });
  w.field(Key("barrier", "whose verdict it is"), test.barrier);
  w.field(Key("barrier_of_runs", "whose verdict runs rely on"), test.barrier_of_runs);
  w.numbers(Key("cpus", "that were tested"), test.cpus);
  w.field(Key("entries_per_cpu", "asked for"), test.entries_per_cpu);
  w.field(Key("ticks_per_second", "0: not known"), test.ticks_per_second);
  w.field(Key("calibration", "how it is known, or why not"), test.calibration);
  w.list(Key("injected", "clocks made wrong on purpose"), "clock", test.injected);
  w.field(Key("stored", "the file of the verdict; empty: nowhere"), test.stored);
  w.field(Key("not_stored", "why not"), test.not_stored);
  w.list(Key("results", "one a barrier"), "result", test.results, test);
}

}  // namespace fathom::result
