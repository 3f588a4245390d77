// Pacing: how fast a job may go.
#include "job/option.h"

namespace fathom::job {
namespace {

constexpr std::uint64_t kMicrosecond = 1000;

constexpr Row kRows[] = {
    bytes_per_direction<&Job::rate_bytes_per_s>({"rate", "", "Bytes a second to hold"}, 0, kMaxU64),
    count_per_direction<&Job::rate_iops>({"rate_iops", "", "I/Os a second to hold"}, 0, kMaxU32),
    duration<&Job::thinktime_ns>({"thinktime", "0", "Pause after thinktime_blocks I/Os"}, kMicrosecond),
    duration<&Job::thinktime_spin_ns>({"thinktime_spin", "0", "The part of thinktime that is spun, not slept"},
                                      kMicrosecond),
    count<&Job::thinktime_blocks>({"thinktime_blocks", "1", "I/Os between two pauses"}, 1, kMaxU32),
};

}  // namespace

std::span<const Row> rate_options() { return kRows; }

}  // namespace fathom::job
