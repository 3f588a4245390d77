// A job's queue pairs in fathom's own part of the JSON.
#pragma once
#include "report/json_writer.h"
#include "result/result.h"

namespace fathom::report {

void write_queue(JsonWriter& w, const result::Job& job);  // only where job.queue is

}  // namespace fathom::report
