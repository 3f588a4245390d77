// The formats of `fathom pmu list`: the whole list, the matches of a pattern, or the path of one device. Pure.
#pragma once
#include <string>

#include "result/commands/pmu_list.h"

namespace fathom::report::counters {

std::string pmu_list_text(const result::PmuList& list);
// Single events: one line each, or an explanation.
std::string events_text(const result::PmuMatches& matches, bool explain);

std::string pmu_list_json(const result::PmuList& list);

}  // namespace fathom::report::counters
