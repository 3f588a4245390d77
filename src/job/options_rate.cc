// Pacing: how fast a job may go.
#include "job/rows.h"

namespace fathom::job {
namespace {

constexpr std::uint64_t kMicrosecond = 1000;

constexpr Option kRows[] = {
    bytes_per_direction<&Job::rate_bytes_per_s>({.name = "rate", .help = "Bytes a second to hold"}, 0, kMaxU64),
    count_per_direction<&Job::rate_iops>({.name = "rate_iops", .help = "I/Os a second to hold"}, 0, kMaxU32),
    duration<&Job::thinktime_ns>({.name = "thinktime", .fallback = "0", .help = "Pause after thinktime_blocks I/Os"},
                                 kMicrosecond),
    duration<&Job::thinktime_spin_ns>(
        {.name = "thinktime_spin", .fallback = "0", .help = "The part of thinktime that is spun, not slept"},
        kMicrosecond),
    count<&Job::thinktime_blocks>({.name = "thinktime_blocks", .fallback = "1", .help = "I/Os between two pauses"}, 1,
                                  kMaxU32),
};

}  // namespace

std::span<const Option> rate_options() { return kRows; }

}  // namespace fathom::job
