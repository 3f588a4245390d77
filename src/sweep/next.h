// Suggests loads for the next sweep if a sweep has no answer: untried loads that may give one. Pure.
#pragma once
#include <optional>
#include <string>

#include "result/commands/sweep.h"

namespace fathom::sweep {

struct Next {
  std::string over;     // as --over takes it
  bool longer = false;  // the loads are right, but runs scatter too much
};
// One range for all curves without an answer; numjobs if a higher load has no effect. nullopt: all curves have an
// answer, no run has numbers, the sweep was interrupted, or it varies numjobs already and a higher load has no effect.
std::optional<Next> next_of(const result::Sweep& sweep);

}  // namespace fathom::sweep
