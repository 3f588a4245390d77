// Pacing: limits for the speed of a job.
#include "job/fields/think.h"
#include "job/option.h"

namespace fathom::job {
namespace {

constexpr Choice kProcesses[] = {
    {"linear", int(fields::RateProcess::linear), "evenly spaced"},
    {"poisson", int(fields::RateProcess::poisson), "at random times, as from independent users"}};
constexpr Choice kBlocksTypes[] = {{"complete", 0, "completed I/Os"}, {"issue", 1, "issued I/Os"}};

// An explicit thinktime_blocks= also applies if thinktime_iotime= is given.
Outcome read_blocks(const Targets& targets, const Value& value) {
  targets.get<fields::Think>().blocks_given = true;
  return apply::number<&Job::thinktime_blocks>(targets, value);
}

constexpr Row kRateRows[] = {
    bytes_per_direction<&Job::rate_bytes_per_s>({"rate", "", "Limit the rate to this many bytes per second"}, 0,
                                                kMaxU64),
    count_per_direction<&Job::rate_iops>({"rate_iops", "", "Limit the rate to this many I/Os per second"}, 0, kMaxU32),
    duration<&Job::thinktime_ns>({"thinktime", "0", "Pause after thinktime_blocks I/Os"}, kMicrosecond_ns),
    duration<&Job::thinktime_spin_ns>(
        {"thinktime_spin", "0", "Part of thinktime that the job spins instead of sleeping"}, kMicrosecond_ns),
    special<read_blocks>({"thinktime_blocks", "1", "I/Os between two pauses; 0: as 1"}, Type::count, 0, kMaxU32),
    choice<&fields::Think::by_issue>({"thinktime_blocks_type", "complete", "I/Os that thinktime_blocks counts"},
                                     kBlocksTypes),
    duration<&fields::Think::iotime_ns>(
        {"thinktime_iotime", "0", "Time of I/O between two pauses; thinktime_blocks counts only if it is given"},
        kSecond_ns),
    count<&fields::Think::cycles>({"thinkcycles", "0", "Iterations of an empty loop after each I/O"}, 0, kMaxU64),
    choice<&fields::Think::process>({"rate_process", "linear", "Spacing of the I/Os of a rate"}, kProcesses),
    boolean<&fields::Think::rate_ignores>({"rate_ignore_thinktime", "0", "Do not catch up on the rate after a pause"}),
};

}  // namespace

std::span<const Row> rate_options() { return kRateRows; }

}  // namespace fathom::job
