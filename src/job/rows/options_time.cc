// A job's start, its duration, and the clock that measures them.
#include "job/fields/start.h"
#include "job/option.h"

namespace fathom::job {
namespace {

constexpr Choice kClocks[] = {
    {"cpu", int(ClockSource::cpu), "the CPU's time-stamp counter"},
    {"clock_gettime", int(ClockSource::clock_gettime), "clock_gettime(2)"},
    {"gettimeofday", int(ClockSource::gettimeofday), "gettimeofday(2)"},
};

// "500ms", or a range "1-3" from which each copy gets a random value.
Outcome read_startdelay(Draft& draft, const Value& value) {
  return read_one_or_range(value, draft.startdelay_ns.low, draft.startdelay_ns.high);
}

// Fewer clock reads: no latencies, so no percentiles either.
Outcome read_gtod_reduce(const Targets& targets, const Value& value) {
  if (auto problem = apply::truth<&Job::gtod_reduce, false>(targets, value)) return problem;
  Job& job = targets.get<Job>();
  job.disable_lat = job.disable_clat = job.disable_slat = job.disable_bw = job.gtod_reduce;
  job.clat_percentiles = !job.gtod_reduce;
  return {};
}

constexpr Row kTimeRows[] = {
    duration<&Job::runtime_ns>({"runtime timeout", "0", "Longest time the job runs; 0: no limit"}, kSecond_ns),
    flag<&Job::time_based>({"time_based", "", "Run for the whole runtime, repeating the data if necessary"}),
    duration<&Job::ramp_ns>({"ramp_time", "0", "Time at the start without measurement"}, kSecond_ns),
    bytes<&fields::Start::ramp_bytes>({"ramp_size", "0", "Bytes at the start without measurement"}, 0, kMaxU64),
    special<read_startdelay>({"startdelay", "0", "Time to wait before the job starts, or a range of it"},
                             Type::duration, 0, kMaxU64, kSecond_ns),
    choice<&Job::clocksource>({"clocksource", "", "Clock for timestamps of I/Os (default: the best reliable clock)"},
                              kClocks),
    special<read_gtod_reduce>(
        {"gtod_reduce", "0", "As few clock reads as possible: no latencies, no bandwidth samples"}, Type::boolean, 0,
        1),
};

}  // namespace

std::span<const Row> time_options() { return kTimeRows; }

}  // namespace fathom::job
