// Logs in the format of log_store_compressed: complete zlib streams in sequence, with binary lines. A sample has the
// layout of fio 3.42 on x86-64: time, value and second value (8 bytes each), direction with flags (4), priority (2),
// 2 unused, block size (8), then offset and issue time (8 each) if a flag is set for them.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "run/logs/log_text.h"

namespace fathom::run::logs {

void append_sample(const LogLine& line, const LogColumns& columns, std::string& raw);
// Returns one zlib stream.
std::string deflate_samples(const std::string& raw);
// --inflate-log: the text of a stored log. An Error if `stored` is not such a log, or is truncated.
base::Expected<std::string> inflate_log(std::string_view stored);

}  // namespace fathom::run::logs
