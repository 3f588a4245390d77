// What the rows of a run measure: one constant each, with its name, its unit and a phrase for a reader. Names are those
// of the result (result/job_fields.h) without their unit. Units: `1` (a count), `1/s`, `ns`, `ms`, `bytes`, `bytes/s`,
// `percent`, `errno`.
#pragma once
#include <array>
#include <string_view>

namespace fathom::report::rows {

struct Quantity {
  std::string_view name, unit, help;
  bool counts = false;  // it only grows while a job runs
};

// Of the run.
inline constexpr Quantity kReportedEpoch{"reported_epoch", "ms", "End of the jobs, since 1970"};
inline constexpr Quantity kFindings{"findings", "1", "Findings of the checks"};

// Of a job.
inline constexpr Quantity kError{"error", "errno", "Error that ended the job, 0: no error"};
inline constexpr Quantity kUsrCpu{"usr_cpu", "percent", "User CPU time of the worker"};
inline constexpr Quantity kSysCpu{"sys_cpu", "percent", "System CPU time of the worker"};
inline constexpr Quantity kContextSwitches{"context_switches", "1", "Context switches of the worker", true};
inline constexpr Quantity kMajorFaults{"major_faults", "1", "Major faults of the worker", true};
inline constexpr Quantity kMinorFaults{"minor_faults", "1", "Minor faults of the worker", true};

// Of a direction of a job.
inline constexpr Quantity kIos{"ios", "1", "Completed I/Os", true};
inline constexpr Quantity kBytes{"bytes", "bytes", "Bytes of completed I/Os", true};
inline constexpr Quantity kRuntime{"runtime", "ns", "Measured time"};
inline constexpr Quantity kIops{"iops", "1/s", "Completed I/Os per second"};
inline constexpr Quantity kBw{"bw", "bytes/s", "Bytes per second"};
inline constexpr Quantity kErrorIos{"error_ios", "1", "Failed I/Os", true};
inline constexpr Quantity kShortIos{"short_ios", "1", "I/Os with a short transfer", true};
inline constexpr Quantity kDroppedIos{"dropped_ios", "1", "Lost I/Os", true};
// Latencies, in the order of the members of result::Direction.
inline constexpr std::array<Quantity, 5> kLatencies{{
    {"slat", "ns", "Latency from preparation to issue"},
    {"clat", "ns", "Latency from issue to completion"},
    {"lat", "ns", "Latency from preparation to completion"},
    {"intended_lat", "ns", "Latency from the intended start to completion"},
    {"start_delay", "ns", "Delay from the intended start to preparation"},
}};
// The latency of the direction `sync`: fsync and similar calls.
constexpr const Quantity& sync_latency() { return kLatencies[2]; }

}  // namespace fathom::report::rows
