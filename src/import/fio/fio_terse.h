// fio's terse lines (--minimal, --output-format=terse), versions 3 to 5: KiB, whole us and I/Os a second, so that a number
// is known to these. Notes and the other formats may stand between the lines. Errors: usage with file:line:column: a line
// that is cut short, a field that is no number, lines of two versions. Pure.
#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "result/result.h"

namespace fathom::import::fio {

bool is_fio_terse(std::string_view text);
base::Expected<result::Run> read_fio_terse(std::string_view text, const std::string& file_name);

}  // namespace fathom::import::fio
