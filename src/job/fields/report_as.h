// Report options: they change the reports of a job, but none of its I/Os. run/ copies them to the job's result
// (result::Reporting), where the formats read them.
#pragma once
#include <cstdint>

#include "job/job.h"

namespace fathom::job::fields {

enum class Unified : std::uint8_t { none, mixed, both };

struct ReportAs : OfJob {
  Unified unified = Unified::none;
  std::uint32_t significant_figures = 4;
  std::uint32_t kb_base = 1024;  // selects the unit shown first
  std::uint32_t unit_base = 0;   // 1: bits, 8: bytes
  bool disk_util = true;
  bool stats = true;
  std::uint32_t bw_window_ms = 500, iops_window_ms = 500;
  std::uint32_t job_start_clock_id = 0;  // of clock_gettime(2); 0: wall-clock time
};

}  // namespace fathom::job::fields
