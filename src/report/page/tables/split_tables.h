// The tables of a breakdown (--breakdown): the parts of each job and direction, and their shares by band of latency.
// Pure.
#pragma once
#include <string>

#include "result/breakdown.h"

namespace fathom::report::page::tables {

// Empty: it was not requested.
std::string split_html(const result::Breakdown& split);

}  // namespace fathom::report::page::tables
