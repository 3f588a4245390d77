// An Error in a worker's record: whole, so that it reaches the result with its remedy and its place, whether the worker
// is a thread or a process.
#pragma once
#include <cstddef>
#include <string>

#include "base/error.h"
#include "run/records/record.h"

namespace fathom::run::records {

// A line of its own instead of the Error's.
void write_down(ErrorRecord& record, const std::string& text);
// of: one of its errors.
void tell(WorkerRecord& record, const ErrorRecord& of, const base::Error& error);
// Of errors[index]; nothing but empty sentences where it came as a line alone.
base::Error told(const WorkerRecord& record, std::size_t index);

// other: the errno of an Error that has none.
void record_setup_error(WorkerRecord& record, const base::Error& error, int other);

}  // namespace fathom::run::records
