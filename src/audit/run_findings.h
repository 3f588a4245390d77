// What a reader of a run's numbers must know before believing them: a result in, findings out. Pure; each check is one
// row of a table in run_findings.cc. Thresholds are the constants below. Thread-safe.
#pragma once
#include <cstdint>
#include <vector>

#include "result/finding.h"
#include "result/result.h"

namespace fathom::audit {

inline constexpr double kShortestRun_s = 1.0;          // below it start and end effects are part of every number
inline constexpr double kHardlyARun_s = 0.1;           // below it they are most of it
inline constexpr std::uint64_t kFewestForP99 = 100;    // I/Os
inline constexpr std::uint64_t kFewestForMedian = 10;  // I/Os
inline constexpr double kStoppedShareOfARun = 0.10;    // of its time without I/Os, or in one
inline constexpr double kFewestIosOfAnInterval = 10;   // usual ones, where an interval of none means something
inline constexpr double kHardlyAnyIos = 0.01;          // of the usual ones
inline constexpr double kCpuWaitShare = 0.10;          // of a job's time, ready and without a CPU
inline constexpr double kFromCacheShare = 0.10;        // of the bytes read
inline constexpr double kRewrittenShare = 0.50;        // of the bytes written: a part is rewritten by chance
inline constexpr double kNoDeviceShare = 0.50;         // of the bytes read: no device was measured
inline constexpr double kWidthShareOfClat = 0.10;      // a stamp's mean width, of the mean completion latency
inline constexpr double kMostDrift_ppm = 100;          // of the clock's conversion over the run, its bound taken off
inline constexpr double kOwnShareOfMedian = 0.05;      // fathom's own ns an I/O, of the median latency
inline constexpr double kRateKept = 0.98;              // achieved / asked
inline constexpr double kRateKeptOfFew = 0.95;         // the same of fewer than kFewestIosOfAShare I/Os
inline constexpr double kSizeSharePoints = 2;          // of a block size, delivered against asked
inline constexpr double kMixPoints = 1;                // of reads in a mix
inline constexpr double kDepthShare = 0.10;            // of the asked depth missing on average
inline constexpr std::uint64_t kFewestIosOfAShare = 1000;
inline constexpr std::uint64_t kRoundsOfADepth = 20;    // filling and draining the queue are no longer much of the run
inline constexpr double kLostToRounding_bytes = 65536;  // size= shared out over files, or over whole blocks
inline constexpr double kLateShare = 0.05;              // I/Os issued more than 1 ms after their intended start
inline constexpr double kLostShare = 0.05;              // I/Os of a latency split with events missing
inline constexpr std::uint64_t kFewestPacedIos = 20;    // fewer due I/Os say nothing about a rate
inline constexpr double kForeignShare = 0.02;           // others' bytes on the disk, of the run's
inline constexpr double kNothingShare = 0.02;           // reads of holes and of reserved blocks, of the run's
inline constexpr std::size_t kMostFindingsOfAKind = 8;  // more jobs than this share one finding

// Of this run alone; its repetitions are runs of their own.
std::vector<result::Finding> run_findings(const result::Run& run);

}  // namespace fathom::audit
