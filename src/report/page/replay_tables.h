// How faithful the replays of a run were. Pure.
#pragma once
#include <string>

#include "result/result.h"

namespace fathom::report::page {

std::string replay_html(const result::Run& run);  // empty: no job replays a trace

}  // namespace fathom::report::page
