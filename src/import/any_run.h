// A result of any program that is read, known by its text: JSON of fathom, fio's JSON, terse lines and logs, pmbench's
// XML. Errors: usage, of the reader that the text is for. Pure.
#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "result/stored.h"

namespace fathom::import {

struct How {
  std::string log_columns;  // of fio's logs; empty: found (import/fio/fio_log.h)
};

base::Expected<result::Stored> read_any(std::string_view text, const std::string& file_name, const How& how = {});
// Another command's is an error.
base::Expected<result::Run> read_any_run(std::string_view text, const std::string& file_name, const How& how = {});

}  // namespace fathom::import
