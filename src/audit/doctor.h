// What `fathom doctor` says of a machine: the value, whether it is as it should be, and what to do where it is not.
// Pure: facts in, checks out; each is one row of a table in doctor.cc. Thread-safe.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "host/cpu_quotas.h"
#include "result/commands/doctor.h"
#include "result/result.h"

namespace fathom::audit {

struct ClockReading {
  std::string source;
  double read_ns = 0, resolution_ns = 0;
};

struct DoctorFacts {
  result::ClockFacts clock;  // of a job without clocksource=; its drift: the best known of this boot
  double drift_over_s = 0;
  std::vector<ClockReading> readings;
  double record_ns = 0;
  std::optional<double> loop_ns_depth_1, loop_ns_depth_128;  // none: could not be measured
  std::vector<host::CpuQuota> cpu_quotas;                    // of cgroups, that jobs started here are under
  std::vector<std::string> io_limits;                        // the same, of any disk
  std::vector<std::string> left_by_killed;                   // of killed runs, one a run
  std::string left_by_killed_unknown;                        // why there may be more; empty: there is not
};

inline constexpr double kSlowReading_ns = 100;  // a counter that traps, or a clock_gettime without vDSO, costs more
inline constexpr double kSlowLoop_ns = 250;     // several times what a release build needs
inline constexpr double kSlowRecord_ns = 50;

std::vector<result::DoctorCheck> doctor_checks(const DoctorFacts& facts);

}  // namespace fathom::audit
