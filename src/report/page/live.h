// The page that follows a run in progress, with a report's own plots. It requests `seconds?after=N` from its own
// address, and from no other (src/live/serve/).
#pragma once
#include <string>
#include <string_view>

namespace fathom::report::page {

// title: name of the run, any text. utc_offset_s: of the host's wall clock.
std::string live_html(std::string_view title, int utc_offset_s);

}  // namespace fathom::report::page
