// A run so small that its whole report can be read: one job with four reads in two milliseconds.
#pragma once
#include <string>

#include "report/sample_run.h"

namespace fathom::report::rows {

inline result::Job small_job() {
  result::Job job;
  job.name = "t";
  job.usr_cpu_percent = 12.5;
  job.sys_cpu_percent = 40.25;
  job.ctx_switches = 7;
  job.minor_faults = 13;
  auto& read = job.dirs[0];
  read.ios = read.issued = 4;
  read.bytes = 16384;
  read.runtime_ms = 2;
  read.runtime_ns = 2'000'000;
  read.begin_ns = 500'000'000;
  read.end_ns = 502'000'000;
  read.lat = latency_of({100, 100, 100, 1'000'000});
  return job;
}

inline result::Run small_run() {
  result::Run run = empty_run();
  run.run_id = "id-1";
  run.end_epoch_ms = run.time_epoch_ms + 1500;
  run.utc_offset_s = 0;
  run.jobs = {small_job()};
  run.findings = {{"run.too_short", result::Severity::note, "t", "measured for 2 ms", "run it longer"}};
  return run;
}

// Line `i` of a text, from 0, without its end.
inline std::string line_of(const std::string& text, std::size_t i) {
  std::size_t at = 0;
  for (; i > 0; --i) at = text.find('\n', at) + 1;
  return text.substr(at, text.find('\n', at) - at);
}

}  // namespace fathom::report::rows
