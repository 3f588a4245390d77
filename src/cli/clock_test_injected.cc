// Of a pair only the difference of its two clocks is seen. So an injection is judged by the CPU's pairs with CPUs that
// were left as they are, and where there are none, by its pairs with the others made wrong.
#include "cli/clock_test_injected.h"

#include <algorithm>
#include <vector>

namespace fathom::cli {
namespace {

bool made_wrong(unsigned cpu, const ClockTestReport& r) {
  return std::any_of(r.options.injections.begin(), r.options.injections.end(),
                     [cpu](const AskedInjection& i) { return i.cpu == cpu; });
}

struct Judges {
  std::vector<const clock::Pair*> pairs;
  bool left_alone = false;  // the other CPU of each was left as it is
};

Judges judges_of(unsigned cpu, const ClockTestReport& r) {
  Judges sound{{}, true}, wrong;
  for (const auto& p : r.verdict().run.findings.pairs) {
    if (p.a != cpu && p.b != cpu) continue;
    auto& judges = made_wrong(p.a == cpu ? p.b : p.a, r) ? wrong : sound;
    judges.pairs.push_back(&p);
  }
  return sound.pairs.empty() ? wrong : sound;
}

}  // namespace

InjectionFate fate_of(const AskedInjection& injection, const ClockTestReport& r) {
  if (r.options.cpus.size() < 2) return InjectionFate::alone;
  if (outcome_of(r.verdict().run) == clock::Outcome::not_tested) return InjectionFate::not_tested;
  const Judges judges = judges_of(injection.cpu, r);
  const bool disagrees =
      std::any_of(judges.pairs.begin(), judges.pairs.end(), [](const clock::Pair* p) { return p->mismatches() != 0; });
  if (!disagrees) return InjectionFate::within_bound;
  if (r.verdict().barrier != clock::kDefaultBarrier) return InjectionFate::untold;
  return judges.left_alone ? InjectionFate::seen : InjectionFate::seen_between;
}

std::uint64_t detectable_of(const AskedInjection& injection, const ClockTestReport& r) {
  std::uint64_t worst = 0;
  for (const auto* p : judges_of(injection.cpu, r).pairs) {
    const auto detectable = p->detectable();
    if (!detectable) return 0;
    worst = std::max(worst, *detectable);
  }
  return worst;
}

}  // namespace fathom::cli
