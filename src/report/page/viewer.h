// The page of a report without a result: its own script reads files that are dropped onto it, and overlays, merges and
// pivots them. It sends no requests.
#pragma once
#include <string>

namespace fathom::report::page {

std::string viewer_html();

}  // namespace fathom::report::page
