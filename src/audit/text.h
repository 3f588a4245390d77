// Formats bytes, shares and lists as text. Pure.
#pragma once
#include <string>
#include <vector>

#include "base/text/unit_text.h"

namespace fathom::audit {

// "1.25 GiB", "512 B"
inline std::string bytes_text(double bytes) { return base::text::unit_text(bytes, base::text::kBytesThree); }
std::string percent_text(double seen, double expected);  // "+0.02 %"; "-": nothing was expected
std::string joined(const std::vector<std::string>& parts, const char* between = ", ");

}  // namespace fathom::audit
