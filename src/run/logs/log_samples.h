// Logs as log_store_compressed leaves them: complete zlib streams one behind another, of lines in binary. A sample as
// fio 3.42 lays it out on x86-64: time, value and second value (8 bytes each), direction with flags (4), priority (2),
// 2 unused, block size (8), then offset and issue time (8 each) where a flag says so.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "run/logs/log_text.h"

namespace fathom::run::logs {

void append_sample(const LogLine& line, const LogColumns& columns, std::string& raw);
// One stream.
std::string deflate_samples(const std::string& raw);
// --inflate-log: the text of a stored log. An Error where it is none, or cut short.
base::Expected<std::string> inflate_log(std::string_view stored);

}  // namespace fathom::run::logs
