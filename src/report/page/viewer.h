// The page of a report without a result: files that are dropped onto it are read by its own script, drawn over each other, merged and pivoted. It asks nobody for anything.
#pragma once
#include <string>

namespace fathom::report::page {

std::string viewer_html();

}  // namespace fathom::report::page
