// A result of any supported program, recognized by its text: fathom's JSON, fio's JSON, terse lines and logs, pmbench's
// XML. Errors: usage, from the reader for that text. Pure.
#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "result/stored.h"

namespace fathom::import {

struct How {
  std::string log_columns;  // for fio's logs; empty: detected (import/fio/fio_log.h)
};

base::Expected<result::Stored> read_any(std::string_view text, const std::string& file_name, const How& how = {});
// A result of another command is an error.
base::Expected<result::Run> read_any_run(std::string_view text, const std::string& file_name, const How& how = {});

}  // namespace fathom::import
