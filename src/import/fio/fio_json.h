// fio's own JSON (json and json+, of fio 3 and later) to a result: what its jobs were asked for and what they did, of
// one machine or of several (client_stats). What fio does not say (the host, the clock, how bytes were audited) is not
// there, and a finding says so: `fathom compare` reads it, and no report is made of it. Of several documents in a file
// (--status-interval) the last counts. Errors: usage with file:line:column.
#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "result/result.h"

namespace fathom::import::fio {

// Whether it looks like it: it need not be whole.
bool is_fio_json(std::string_view text);
base::Expected<result::Run> read_fio_json(std::string_view text, const std::string& file_name);

}  // namespace fathom::import::fio
