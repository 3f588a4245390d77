// Suggests loads for the next sweep if a sweep has no answer: untried loads that may give one. Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "result/commands/sweep.h"

namespace fathom::sweep {

struct Next {
  std::string over;     // as --over takes it
  bool longer = false;  // the loads are right, but runs scatter too much
};
// The lowest and the highest load with a number of that name. load 0: there is none.
struct CurveEnd {
  double load = 0, number = 0;
};
std::pair<CurveEnd, CurveEnd> ends_of(const result::SweptCurve& curve, std::string_view number);
// True if the highest load, twice the lowest or more, gave no larger rate: something else limits it (a synchronous
// engine, a saturated device, thinktime, rate_iops).
bool rate_stays(const result::SweptCurve& curve);

// One range for all curves without an answer; numjobs if a higher load has no effect. nullopt: all curves have an
// answer, no run has numbers, the sweep was interrupted, or it varies numjobs already and a higher load has no effect.
std::optional<Next> next_of(const result::Sweep& sweep);

}  // namespace fathom::sweep
