// The page that follows a run while it goes on, by a report's own plots: it asks the address that it came from for
// `seconds?after=N`, and nobody else (src/live/serve/).
#pragma once
#include <string>
#include <string_view>

namespace fathom::report::page {

// title: of what runs, any text. utc_offset_s: of the host's wall clock.
std::string live_html(std::string_view title, int utc_offset_s);

}  // namespace fathom::report::page
