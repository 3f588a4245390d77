// What all readers of fio's results share: a file without options, a job that failed, and the findings about what the
// file lacks. Pure.
#pragma once
#include <cstddef>

#include "result/result.h"

namespace fathom::import::fio {

// What was done to the text before it was read.
struct Source {
  std::size_t documents = 1, not_numbers = 0;
  bool is_json = true;  // else lines
};

// Of a file without options nothing is known but what was done: the directions, and a size where all are of one.
void take_what_it_did(result::Job& job);
// When all jobs have been read.
void complete_reported(result::Run& run, const Source& source);

}  // namespace fathom::import::fio
