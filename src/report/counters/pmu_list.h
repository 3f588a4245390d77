// The formats of `fathom pmu list`: the whole, what a pattern means, or the way of one device. Pure.
#pragma once
#include <string>

#include "result/commands/pmu_list.h"

namespace fathom::report::counters {

std::string pmu_list_text(const result::PmuList& list);
// Events one by one: a line each, or explained.
std::string events_text(const result::PmuMatches& matches, bool explain);

std::string pmu_list_json(const result::PmuList& list);

}  // namespace fathom::report::counters
