// Converts pmbench's XML report to a result: its own in any known version (version_xmloutput 0.1), and fathom's, which
// adds elements and renames none. Errors: usage with file:line:column if the text is no such file.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"
#include "result/result.h"

namespace fathom::import::pmbench {

// Larger files are refused. A breakdown of 100 runs of 5 minutes takes about 100 MiB.
inline constexpr std::size_t kMostReportBytes = std::size_t{256} << 20;

base::Expected<result::Run> read_pmbench_xml(std::string_view text, const std::string& file_name);

}  // namespace fathom::import::pmbench
