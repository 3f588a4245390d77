// Options of ioengine=nvme: which of the driver's tricks are used, each for an ablation (docs/performance.md). The
// numbers of the choices are those of nvme/policy.h, which this room may not include; engine/nvme_policy.cc holds them
// together.
#include "job/option.h"

namespace fathom::job {
namespace {

using io::EngineOptions;

constexpr Choice kSqCopies[] = {
    {"auto", -1, "by CPU and iodepth"},
    {"words", 0, "eight 64-bit stores"},
    {"sse2", 1, "four 128-bit stores"},
    {"nontemporal", 2, "eight 64-bit stores past the cache"},
    {"avx512", 3, "one 512-bit store past the cache"},
    {"movdir64b", 4, "one direct store of 64 bytes"},
};
constexpr Choice kSqDoorbells[] = {{"batch", 0, "once for all that was posted"}, {"command", 1, "after each command"}};
constexpr Choice kCqDoorbells[] = {
    {"poll", 0, "once for all that a poll found"},
    {"entry", 1, "after each completion"},
    {"lazy", 2, "not before the device could need the room"},
};
constexpr Choice kLookaheads[] = {
    {"auto", -1, "what was fastest where fathom was made"},
    {"none", 0, "nothing is fetched ahead"},
    {"next", 1, "the tracker of the next completion"},
    {"pipeline", 2, "trackers two ahead, the context of the next"},
};
constexpr Choice kCqReads[] = {
    {"auto", -1, "what was fastest where fathom was made"},
    {"entry", 0, "one entry at a time"},
    {"line", 1, "a cache line of four at a time"},
};
constexpr Choice kContexts[] = {{"tracker", 0, "in the tracker"}, {"request", 1, "behind one more load"}};
constexpr Choice kEntryBytes[] = {{"16", 0, "the specification's least"}, {"64", 1, "a cache line"}};
constexpr Choice kTrackers[] = {{"line", 0, "64 bytes apart"}, {"page", 1, "4 KiB apart"}};

constexpr Row kRows[] = {
    choice<&EngineOptions::nvme_sq_copy>(
        {"nvme_sq_copy", "auto", "How a command is written into the submission ring", "nvme", kOwn}, kSqCopies),
    choice<&EngineOptions::nvme_sq_doorbell>(
        {"nvme_sq_doorbell", "batch", "When the submission doorbell is written", "nvme", kOwn}, kSqDoorbells),
    choice<&EngineOptions::nvme_cq_doorbell>(
        {"nvme_cq_doorbell", "poll", "When the completion doorbell is written", "nvme", kOwn}, kCqDoorbells),
    choice<&EngineOptions::nvme_lookahead>(
        {"nvme_lookahead", "auto", "What is prefetched ahead of a completion", "nvme", kOwn}, kLookaheads),
    choice<&EngineOptions::nvme_cq_read>({"nvme_cq_read", "auto", "How the completion ring is read", "nvme", kOwn},
                                         kCqReads),
    choice<&EngineOptions::nvme_context>({"nvme_context", "tracker", "Where a command's context lies", "nvme", kOwn},
                                         kContexts),
    choice<&EngineOptions::nvme_wide_entries>(
        {"nvme_cqe_bytes", "16", "Size of a completion entry; 64 where the controller offers it", "nvme", kOwn},
        kEntryBytes),
    choice<&EngineOptions::nvme_trackers_apart>(
        {"nvme_trackers", "line", "How far apart the trackers of commands lie", "nvme", kOwn}, kTrackers),
    flag<&EngineOptions::nvme_divide>(
        {"nvme_divide", "", "A division in choosing each address, for comparison", "nvme", kOwn}),
    count<&EngineOptions::nvme_queue_entries>(
        {"nvme_queue_entries", "0", "Slots of the submission ring; 0: twice the depth", "nvme", kOwn}, 0, 65536),
    count<&EngineOptions::nvme_unused_queues>(
        {"nvme_unused_queues", "0", "Queue pairs made besides for each device, never used", "nvme", kOwn}, 0, 65535),
    duration<&EngineOptions::nvme_timeout_ns>(
        {"nvme_timeout", "30s", "A command is aborted when the device has not answered so long", "nvme", kOwn},
        1'000'000'000),
};

}  // namespace

std::span<const Row> nvme_options() { return kRows; }

}  // namespace fathom::job
