// Where a sweep has no answer: which loads have not been tried that may give one. Pure.
#pragma once
#include <optional>
#include <string>

#include "result/commands/sweep.h"

namespace fathom::sweep {

struct Next {
  std::string over;     // as --over takes it
  bool longer = false;  // the loads are right, and runs scatter too much
};
// Of all curves that have no answer, one range; of a load without effect, numjobs. nullopt: all have an answer, no run
// has numbers, or the sweep was interrupted.
std::optional<Next> next_of(const result::Sweep& sweep);

}  // namespace fathom::sweep
