// A failure of a worker's set-up in its record: what, cause and remedy in one line, cut where the record ends.
#pragma once
#include <string>

#include "base/error.h"
#include "run/record.h"

namespace fathom::run {

void write_down(ErrorRecord& record, const std::string& text);
// other: the errno of an Error that has none.
void record_setup_error(WorkerRecord& record, const base::Error& error, int other);

}  // namespace fathom::run
