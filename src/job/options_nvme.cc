// Options of ioengine=nvme: which of the driver's tricks are used, each for an ablation (docs/performance.md). The
// numbers of the choices are those of nvme/policy.h, which this room may not include; engine/nvme_policy.cc holds them
// together.
#include "job/rows.h"

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

constexpr Option kRows[] = {
    choice<&EngineOptions::nvme_sq_copy>({.name = "nvme_sq_copy",
                                          .fallback = "auto",
                                          .help = "How a command is written into the submission ring",
                                          .note = "fathom's own",
                                          .engines = "nvme"},
                                         kSqCopies),
    choice<&EngineOptions::nvme_sq_doorbell>({.name = "nvme_sq_doorbell",
                                              .fallback = "batch",
                                              .help = "When the submission doorbell is written",
                                              .note = "fathom's own",
                                              .engines = "nvme"},
                                             kSqDoorbells),
    choice<&EngineOptions::nvme_cq_doorbell>({.name = "nvme_cq_doorbell",
                                              .fallback = "poll",
                                              .help = "When the completion doorbell is written",
                                              .note = "fathom's own",
                                              .engines = "nvme"},
                                             kCqDoorbells),
    choice<&EngineOptions::nvme_lookahead>({.name = "nvme_lookahead",
                                            .fallback = "auto",
                                            .help = "What is prefetched ahead of a completion",
                                            .note = "fathom's own",
                                            .engines = "nvme"},
                                           kLookaheads),
    choice<&EngineOptions::nvme_cq_read>({.name = "nvme_cq_read",
                                          .fallback = "auto",
                                          .help = "How the completion ring is read",
                                          .note = "fathom's own",
                                          .engines = "nvme"},
                                         kCqReads),
    choice<&EngineOptions::nvme_context>({.name = "nvme_context",
                                          .fallback = "tracker",
                                          .help = "Where a command's context lies",
                                          .note = "fathom's own",
                                          .engines = "nvme"},
                                         kContexts),
    choice<&EngineOptions::nvme_wide_entries>({.name = "nvme_cqe_bytes",
                                               .fallback = "16",
                                               .help = "Size of a completion entry; 64 where the controller offers it",
                                               .note = "fathom's own",
                                               .engines = "nvme"},
                                              kEntryBytes),
    choice<&EngineOptions::nvme_trackers_apart>({.name = "nvme_trackers",
                                                 .fallback = "line",
                                                 .help = "How far apart the trackers of commands lie",
                                                 .note = "fathom's own",
                                                 .engines = "nvme"},
                                                kTrackers),
    flag<&EngineOptions::nvme_divide>({.name = "nvme_divide",
                                       .help = "A division in choosing each address, for comparison",
                                       .note = "fathom's own",
                                       .engines = "nvme"}),
    count<&EngineOptions::nvme_queue_entries>({.name = "nvme_queue_entries",
                                               .fallback = "0",
                                               .help = "Slots of the submission ring; 0: twice the depth",
                                               .note = "fathom's own",
                                               .engines = "nvme"},
                                              0, 65536),
    count<&EngineOptions::nvme_unused_queues>({.name = "nvme_unused_queues",
                                               .fallback = "0",
                                               .help = "Queue pairs made besides for each device, never used",
                                               .note = "fathom's own",
                                               .engines = "nvme"},
                                              0, 65535),
    duration<&EngineOptions::nvme_timeout_ns>({.name = "nvme_timeout",
                                               .fallback = "30s",
                                               .help = "A command is aborted when the device has not answered so long",
                                               .note = "fathom's own",
                                               .engines = "nvme"},
                                              1'000'000'000),
};

}  // namespace

std::span<const Option> nvme_options() { return kRows; }

}  // namespace fathom::job
