// An Error in a worker's record, with its remedy and its place (up to kToldBytes), so that these reach the result
// whether the worker is a thread or a process.
#pragma once
#include <cstddef>
#include <string>

#include "base/error.h"
#include "run/records/record.h"

namespace fathom::run::records {

// Sets a line of text that replaces the Error's.
void write_down(ErrorRecord& record, const std::string& text);
// of: one of the record's errors.
void tell(WorkerRecord& record, const ErrorRecord& of, const base::Error& error);
// The Error of errors[index]. All its texts are empty if the record has only a line.
base::Error told(const WorkerRecord& record, std::size_t index);

// other: the errno for an Error without one.
void record_setup_error(WorkerRecord& record, const base::Error& error, int other);

}  // namespace fathom::run::records
