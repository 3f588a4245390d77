// pmbench's own XML report, of any version that is known (version_xmloutput 0.1), and ours, which adds elements and
// renames none, to a result. Errors: usage with file:line:column for what is no such file.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"
#include "result/result.h"

namespace fathom::import::pmbench {

// More is refused: a breakdown of 100 runs of 5 minutes takes about 100 MiB.
inline constexpr std::size_t kMostReportBytes = std::size_t{256} << 20;

base::Expected<result::Run> read_pmbench_xml(std::string_view text, const std::string& file_name);

}  // namespace fathom::import::pmbench
