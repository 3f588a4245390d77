// Checks a run for facts that limit the use of its numbers: input a result, output findings.
// Each check is one row of a table in run_findings.cc. The thresholds are the constants below.
// A constant named Share is a fraction from 0 to 1.
// Thread rule: pure functions; any thread. No errors.
#pragma once
#include <cstdint>
#include <vector>

#include "result/finding.h"
#include "result/result.h"

namespace fathom::audit {

inline constexpr double kShortestRun_s = 1.0;          // below it, start and end effects affect every number
inline constexpr double kHardlyARun_s = 0.1;           // below it, these effects dominate
inline constexpr std::uint64_t kFewestForP99 = 100;    // I/Os
inline constexpr std::uint64_t kFewestForMedian = 10;  // I/Os
inline constexpr double kStoppedShareOfARun = 0.10;    // of the run's time without I/Os, or within one I/O
// Usual I/Os per interval. Below this, an interval without I/Os has no meaning.
inline constexpr double kFewestIosOfAnInterval = 10;
inline constexpr double kHardlyAnyIos = 0.01;    // of the usual I/Os per interval
inline constexpr double kCpuWaitShare = 0.10;    // of a job's time, ready and waiting for a CPU
inline constexpr double kFromCacheShare = 0.10;  // of the bytes read
inline constexpr double kRewrittenShare = 0.50;  // of the bytes written; some are rewritten by chance
inline constexpr double kNoDeviceShare = 0.50;   // of the bytes read; from this on, no device was measured
// Mean width of a timestamp, relative to the mean completion latency.
inline constexpr double kWidthShareOfClat = 0.10;
// Drift of the clock's conversion over the run, after its error bound is subtracted.
inline constexpr double kMostDrift_ppm = 100;
// fathom's overhead in ns per I/O, relative to the median latency.
inline constexpr double kOwnShareOfMedian = 0.05;
inline constexpr double kRateKept = 0.98;       // achieved / requested
inline constexpr double kRateKeptOfFew = 0.95;  // the same for fewer than kFewestIosOfAShare I/Os
// Percentage points of a block size, achieved compared with requested.
inline constexpr double kSizeSharePoints = 2;
inline constexpr double kMixPoints = 1;  // percentage points of reads in a mix
// Part of the requested depth that is missing on average.
inline constexpr double kDepthShare = 0.10;
inline constexpr double kDeviceDepthShare = 0.125;  // of the I/Os in flight, at the disk
inline constexpr double kFewestInFlight = 8;        // I/Os; below it that share is not judged
inline constexpr std::uint64_t kFewestIosOfAShare = 1000;
// I/Os per unit of depth. Above it, filling and draining the queue is a small part of the run.
inline constexpr std::uint64_t kRoundsOfADepth = 20;
// size= divided among files, or rounded to whole blocks.
inline constexpr double kLostToRounding_bytes = 65536;
inline constexpr double kLateShare = 0.05;            // I/Os issued more than 1 ms after their intended start
inline constexpr double kLostShare = 0.05;            // I/Os of a latency breakdown with missing events
inline constexpr double kFewestLackingIos = 3;        // if fewer I/Os are due than the next
inline constexpr std::uint64_t kFewestPacedIos = 20;  // with fewer due I/Os, a rate has no meaning
// Bytes of other processes on the disk, relative to the run's bytes.
inline constexpr double kForeignShare = 0.02;
// Reads of holes and of reserved blocks, relative to the run's bytes.
inline constexpr double kNothingShare = 0.02;
// If more jobs than this have the same finding, one finding covers all.
inline constexpr std::size_t kMostFindingsOfAKind = 8;

// The findings of this run only. Its repetitions are separate runs.
std::vector<result::Finding> run_findings(const result::Run& run);

}  // namespace fathom::audit
