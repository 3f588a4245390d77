// One job in fathom's own part of the JSON, and the I/O errors of jobs and run.
#pragma once
#include <vector>

#include "report/json_writer.h"
#include "result/result.h"

namespace fathom::report {

struct JobDetail {
  bool latencies = false;   // slat, clat, lat: moments and percentiles (fio's part has them for reported jobs)
  bool histograms = false;  // the buckets as well
  bool series = false;      // bytes and I/Os of every interval
};
void write_fathom_job(JsonWriter& w, const result::Job& job, JobDetail detail);
void write_io_errors(JsonWriter& w, const std::vector<result::IoError>& errors);

}  // namespace fathom::report
