// The engine, and how many I/Os it holds at a time.
#include "job/rows.h"

namespace fathom::job {
namespace {

constexpr std::uint64_t kDeepest = 1u << 20;

constexpr Option kRows[] = {
    text<&Job::ioengine>(
        {.name = "ioengine", .fallback = "psync", .help = "How I/O is done; `--enghelp` lists the engines"}),
    count<&Job::iodepth>({.name = "iodepth", .fallback = "1", .help = "I/Os kept in flight (asynchronous engines)"}, 1,
                         kDeepest),
    count<&Job::iodepth_batch>({.name = "iodepth_batch",
                                .aliases = {"iodepth_batch_submit"},
                                .fallback = "1",
                                .help = "I/Os submitted by one call; 0: iodepth"},
                               0, kDeepest),
    flag<&Job::depth_per_file>({.name = "depth_per_file",
                                .help = "iodepth is of each file or device, which is kept that busy by itself",
                                .note = "fathom's own; engines with a queue",
                                .engines = "nvme"}),
    count<&Job::iodepth_batch_complete_min>({.name = "iodepth_batch_complete_min",
                                             .aliases = {"iodepth_batch_complete"},
                                             .fallback = "1",
                                             .help = "I/Os to wait for when reaping; 0: look without waiting"},
                                            0, kDeepest),
    count<&Job::iodepth_batch_complete_max>({.name = "iodepth_batch_complete_max",
                                             .fallback = "0",
                                             .help = "Most I/Os reaped at a time; 0: iodepth_batch_complete_min"},
                                            0, kDeepest),
    count<&Job::iodepth_low>(
        {.name = "iodepth_low", .fallback = "0", .help = "Refill the queue when it has drained to this; 0: iodepth"}, 0,
        kDeepest),
};

}  // namespace

std::span<const Option> depth_options() { return kRows; }

}  // namespace fathom::job
