// The words by which a report states an outcome. The reports write them, and the terminal shows them in colour.
#pragma once
#include <string_view>

namespace fathom::report::headline {

inline constexpr std::string_view kChecks = "checks", kPassed = "passed", kFailed = "FAILED";

}  // namespace fathom::report::headline
