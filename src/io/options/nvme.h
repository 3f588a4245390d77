// Options of ioengine=nvme: the driver's optimizations, each for an ablation (docs/dev/performance.md). Only a bench
// build (loops/ablations/) has variants other than the two default paths. The numbers of the choices are those of
// nvme/policy.h, which this module may not include; engine/userspace/nvme_policy.cc converts them. -1: chosen by CPU
// and depth.
#pragma once
#include "io/option_table.h"

namespace fathom::io {

struct NvmeOptions : OfEngine {
  int sq_copy = -1, sq_doorbell = 0, cq_doorbell = 0, lookahead = -1, cq_read = -1, context = 0;
  bool wide_entries = false, trackers_apart = false, divide = false;
  std::uint32_t queue_entries = 0;  // of the submission ring; 0: twice the depth
  std::uint32_t unused_queues = 0;  // additional queue pairs per target, without I/O
  std::uint64_t timeout_ns = 30'000'000'000;
};

namespace nvme_choices {
inline constexpr Choice kSqCopies[] = {
    {"auto", -1, "by CPU and iodepth"},
    {"words", 0, "eight 64-bit stores"},
    {"sse2", 1, "four 128-bit stores"},
    {"nontemporal", 2, "eight 64-bit stores past the cache"},
    {"avx512", 3, "one 512-bit store past the cache"},
    {"movdir64b", 4, "one direct store of 64 bytes"},
};
inline constexpr Choice kSqDoorbells[] = {{"batch", 0, "once for all posted commands"},
                                          {"command", 1, "after each command"}};
inline constexpr Choice kCqDoorbells[] = {
    {"poll", 0, "once for all completions of a poll"},
    {"entry", 1, "after each completion"},
    {"lazy", 2, "only when the device could need the space"},
};
inline constexpr Choice kLookaheads[] = {
    {"auto", -1, "the fastest in fathom's measurements"},
    {"none", 0, "no prefetch"},
    {"next", 1, "the tracker of the next completion"},
    {"pipeline", 2, "trackers two ahead, the context of the next"},
};
inline constexpr Choice kCqReads[] = {
    {"auto", -1, "the fastest in fathom's measurements"},
    {"entry", 0, "one entry at a time"},
    {"line", 1, "a cache line of four at a time"},
};
inline constexpr Choice kContexts[] = {{"tracker", 0, "in the tracker"}, {"request", 1, "after one additional load"}};
inline constexpr Choice kEntryBytes[] = {{"16", 0, "the minimum of the specification"}, {"64", 1, "a cache line"}};
inline constexpr Choice kTrackers[] = {{"line", 0, "64 bytes apart"}, {"page", 1, "4 KiB apart"}};
}  // namespace nvme_choices

inline constexpr Row kNvmeRows[] = {
    choice<&NvmeOptions::sq_copy>(
        {"nvme_sq_copy", "auto",
         "Method to write a command into the submission ring (sse2, avx512, movdir64b: bench build only)", "", kOwn},
        nvme_choices::kSqCopies),
    choice<&NvmeOptions::sq_doorbell>(
        {"nvme_sq_doorbell", "batch", "Time of the submission doorbell write (bench build only)", "", kOwn},
        nvme_choices::kSqDoorbells),
    choice<&NvmeOptions::cq_doorbell>(
        {"nvme_cq_doorbell", "poll", "Time of the completion doorbell write (bench build only)", "", kOwn},
        nvme_choices::kCqDoorbells),
    choice<&NvmeOptions::lookahead>(
        {"nvme_lookahead", "auto", "Data to prefetch ahead of a completion (bench build only)", "", kOwn},
        nvme_choices::kLookaheads),
    choice<&NvmeOptions::cq_read>(
        {"nvme_cq_read", "auto", "Method to read the completion ring (bench build only)", "", kOwn},
        nvme_choices::kCqReads),
    choice<&NvmeOptions::context>(
        {"nvme_context", "tracker", "Location of a command's context (bench build only)", "", kOwn},
        nvme_choices::kContexts),
    choice<&NvmeOptions::wide_entries>(
        {"nvme_cqe_bytes", "16", "Size of a completion entry; 64 if the controller supports it (bench build only)", "",
         kOwn},
        nvme_choices::kEntryBytes),
    choice<&NvmeOptions::trackers_apart>(
        {"nvme_trackers", "line", "Distance between the trackers of commands (bench build only)", "", kOwn},
        nvme_choices::kTrackers),
    flag<&NvmeOptions::divide>(
        {"nvme_divide", "", "A division in choosing each address, for comparison (bench build only)", "", kOwn}),
    count<&NvmeOptions::queue_entries>(
        {"nvme_queue_entries", "0", "Slots of the submission ring; 0: twice the depth", "", kOwn}, 0, 65536),
    count<&NvmeOptions::unused_queues>(
        {"nvme_unused_queues", "0", "Additional unused queue pairs for each device", "", kOwn}, 0, 65535),
    duration<&NvmeOptions::timeout_ns>(
        {"nvme_timeout", "30s", "Abort a command without a completion after this time", "", kOwn}, 1'000'000'000),
};
inline constexpr OptionTable kNvmeOptions{"nvme", kNvmeRows, "Options of ioengine=nvme"};

}  // namespace fathom::io
