// The checks of `fathom doctor`: a value of the machine, whether it is good, and what to do if not.
// Pure: facts in, checks out. Each check is a function in doctor.cc. Thread-safe.
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
  result::ClockFacts clock;  // for a job without clocksource=; its drift: the best known of this boot
  double drift_over_s = 0;
  std::vector<ClockReading> readings;
  double record_ns = 0;
  std::optional<double> loop_ns_depth_1, loop_ns_depth_128;  // empty: could not be measured
  std::vector<host::CpuQuota> cpu_quotas;                    // of cgroups that apply to jobs started here
  std::vector<std::string> io_limits;                        // the same, for any disk
  std::vector<std::string> left_by_killed;                   // by killed runs, one entry per run
  std::string left_by_killed_unknown;                        // why there may be more; empty: no more are possible
};

inline constexpr double kSlowReading_ns = 100;  // a counter that traps or a clock_gettime without vDSO is slower
inline constexpr double kSlowLoop_ns = 250;     // several times what a release build needs
inline constexpr double kSlowRecord_ns = 50;

std::vector<result::DoctorCheck> doctor_checks(const DoctorFacts& facts);

}  // namespace fathom::audit
