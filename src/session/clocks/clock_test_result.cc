// The findings, value by value; then injections. A pair shows only the difference between its two clocks. So an
// injection is judged by the CPU's pairs with unmodified CPUs. If there are no such pairs, it is judged by the pairs
// with other modified CPUs.
#include "session/clocks/clock_test_result.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace fathom::session::clocks {
namespace {

using result::ClockTest, result::CpuPair, result::InjectedClock, result::InjectionFate, result::TestOutcome;

result::HandOvers hand_overs(const clock::cores::Direction& d) {
  return {d.hand_overs, d.mismatches, d.smallest_gap, d.largest_backward};
}

std::optional<double> bounded(double ppm) { return std::isfinite(ppm) ? std::optional(ppm) : std::nullopt; }

CpuPair pair_of(const clock::cores::Pair& found) {
  CpuPair pair{found.a, found.b, hand_overs(found.a_to_b), hand_overs(found.b_to_a), {}, found.detectable(), {}, {},
               {},      {}};
  pair.steadiness = static_cast<result::Steadiness>(found.steadiness);
  if (found.steadiness == clock::cores::Steadiness::steady)
    pair.offset_ticks = found.offset, pair.offset_bound_ticks = found.offset_bound;
  if (found.steadiness == clock::cores::Steadiness::steady || found.steadiness == clock::cores::Steadiness::drifts)
    pair.drift_low_ppm = bounded(found.drift.low_ppm), pair.drift_high_ppm = bounded(found.drift.high_ppm);
  return pair;
}

result::ClockReading reading(const clock::cores::Entry& entry) { return {entry.cpu, entry.tsc, entry.sequence}; }

bool made_wrong(unsigned cpu, const ClockTest& test) {
  return std::any_of(test.injected.begin(), test.injected.end(),
                     [cpu](const InjectedClock& i) { return i.cpu == cpu; });
}

struct Judges {
  std::vector<const CpuPair*> pairs;
  bool left_alone = false;  // the other CPU of each pair is unmodified
};

Judges judges_of(unsigned cpu, const ClockTest& test) {
  Judges sound{{}, true}, wrong;
  for (const auto& p : test.decisive().pairs) {
    if (p.a != cpu && p.b != cpu) continue;
    auto& judges = made_wrong(p.a == cpu ? p.b : p.a, test) ? wrong : sound;
    judges.pairs.push_back(&p);
  }
  return sound.pairs.empty() ? wrong : sound;
}

InjectionFate fate_of(const Judges& judges, const ClockTest& test) {
  if (test.cpus.size() < 2) return InjectionFate::alone;
  if (test.decisive().verdict == TestOutcome::not_tested) return InjectionFate::not_tested;
  const bool disagrees =
      std::any_of(judges.pairs.begin(), judges.pairs.end(), [](const CpuPair* p) { return p->mismatches() != 0; });
  if (!disagrees) return InjectionFate::within_bound;
  if (test.barrier != test.barrier_of_runs) return InjectionFate::untold;
  return judges.left_alone ? InjectionFate::seen : InjectionFate::seen_between;
}

// The largest undetectable offset of that CPU, in ticks, plus one; 0: unknown.
std::uint64_t detectable_of(const Judges& judges) {
  std::uint64_t worst = 0;
  for (const auto* p : judges.pairs) {
    if (!p->detectable_ticks) return 0;
    worst = std::max(worst, *p->detectable_ticks);
  }
  return worst;
}

}  // namespace

result::BarrierTest barrier_test(clock::cores::Barrier barrier, std::string instruction,
                                 const clock::cores::TestRun& run, double ticks_per_second) {
  const auto& found = run.findings;
  result::BarrierTest test;
  test.barrier = row(barrier).name;
  test.instruction = std::move(instruction);
  test.verdict = static_cast<TestOutcome>(outcome_of(run));
  test.text = text_of(run, ticks_per_second);
  test.took_ns = run.took_ns;
  test.attempts = run.attempts;
  test.entries = found.entries;
  test.mismatches = found.mismatches;
  test.largest_backward_ticks = found.largest_backward;
  test.detectable_ticks = found.detectable;
  test.at_fault = found.at_fault;
  for (const auto& c : found.cpus) test.per_cpu.push_back({c.cpu, c.entries, c.backward, c.largest_backward});
  for (const auto& p : found.pairs) test.pairs.push_back(pair_of(p));
  for (const auto& m : found.first_mismatches) test.first_mismatches.push_back({reading(m.earlier), reading(m.later)});
  return test;
}

void judge_injections(ClockTest& test) {
  for (auto& injected : test.injected) {
    const Judges judges = judges_of(injected.cpu, test);
    injected.outcome = fate_of(judges, test);
    injected.detectable_ticks = detectable_of(judges);
  }
}

}  // namespace fathom::session::clocks
