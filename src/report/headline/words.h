// The words for an outcome in a report. The reports print them, and the terminal colors them.
#pragma once
#include <string_view>

namespace fathom::report::headline {

inline constexpr std::string_view kChecks = "checks", kPassed = "passed", kFailed = "FAILED";

}  // namespace fathom::report::headline
