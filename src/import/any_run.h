// A run from whatever file has one: fathom's JSON of any schema, fio's own JSON, pmbench's XML and ours. Which it is, is
// seen by what is in it. Errors: usage with file:line:column.
#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "result/result.h"

namespace fathom::import {

base::Expected<result::Run> read_any_run(std::string_view text, const std::string& file_name);

}  // namespace fathom::import
