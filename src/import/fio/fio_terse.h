// Reads fio's terse lines (--minimal, --output-format=terse), versions 3 to 5. Their units are KiB, whole us and I/Os
// per second, which limits the precision. Notes and the other formats may be between the lines.
// Errors: usage with file:line:column: a truncated line, an invalid number, lines of two versions. Pure.
#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "result/result.h"

namespace fathom::import::fio {

bool is_fio_terse(std::string_view text);
base::Expected<result::Run> read_fio_terse(std::string_view text, const std::string& file_name);

}  // namespace fathom::import::fio
