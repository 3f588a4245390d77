// Shared by all readers of fio's results: files without options, failed jobs, and the findings about facts that the
// file lacks. Pure.
#pragma once
#include <cstddef>

#include "result/result.h"

namespace fathom::import::fio {

// Changes made to the text before reading.
struct Source {
  std::size_t documents = 1, not_numbers = 0;
  bool is_json = true;  // false: lines
};

// For a file without options, sets the options known from the I/O done: the directions, and a size if all are equal.
void take_what_it_did(result::Job& job);
// Call this after all jobs were read.
void complete_reported(result::Run& run, const Source& source);

}  // namespace fathom::import::fio
