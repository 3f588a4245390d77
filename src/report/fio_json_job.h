// One entry of fio's "jobs" array.
#pragma once
#include "report/json_writer.h"
#include "result/result.h"

namespace fathom::report {

void write_options(JsonWriter& w, std::string_view key, const result::Options& options);  // absent when empty, as fio
void write_fio_job(JsonWriter& w, const result::Run& run, const result::Job& job, bool bins);

}  // namespace fathom::report
