// Converts fio's own JSON (json and json+, of fio 3 and later) to a result: what its jobs requested and achieved, on
// one machine or several (client_stats). Facts that fio does not report (the host, the clock, the audit of bytes) are
// missing, and a finding reports this: `fathom compare` reads it, but no report is made from it.
// If a file has several documents (--status-interval), the last one counts. Errors: usage with file:line:column.
#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "result/result.h"

namespace fathom::import::fio {

// True if the text looks like fio's JSON, even if incomplete.
bool is_fio_json(std::string_view text);
base::Expected<result::Run> read_fio_json(std::string_view text, const std::string& file_name);

}  // namespace fathom::import::fio
