// When a job starts, for how long it runs, and which clock says so.
#include "job/rows.h"

namespace fathom::job {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

constexpr Choice kClocks[] = {
    {"cpu", int(ClockSource::cpu), "the CPU's time-stamp counter"},
    {"clock_gettime", int(ClockSource::clock_gettime), "clock_gettime(2)"},
    {"gettimeofday", int(ClockSource::gettimeofday), "gettimeofday(2)"},
};

// "500ms", or a range "1-3" from which each copy draws.
Outcome read_startdelay(Draft& draft, const Option& option, std::string_view value) {
  SizeRange range;
  if (split(value, '-').size() == 1 && split(value, ':').size() == 1) {
    if (auto problem = read_number(draft, option, value, range.low)) return problem;
    range.high = range.low;
  } else if (auto problem = read_range(draft, option, value, range)) {
    return problem;
  }
  draft.startdelay_ns = range;
  return {};
}

// Fewer clock reads: no latencies, so no percentiles either.
Outcome read_gtod_reduce(Draft& draft, const Option& option, std::string_view value) {
  if (auto problem = apply::truth<&Job::gtod_reduce, false>(draft, option, value)) return problem;
  Job& job = draft.job;
  job.disable_lat = job.disable_clat = job.disable_slat = job.disable_bw = job.gtod_reduce;
  job.clat_percentiles = !job.gtod_reduce;
  return {};
}

constexpr Option kRows[] = {
    duration<&Job::runtime_ns>(
        {.name = "runtime", .aliases = {"timeout"}, .fallback = "0", .help = "Longest time the job runs; 0: no limit"},
        kSecond),
    flag<&Job::time_based>(
        {.name = "time_based", .help = "Run for all of runtime, over the same data again if need be"}),
    duration<&Job::ramp_ns>({.name = "ramp_time", .fallback = "0", .help = "Time at the start that is not measured"},
                            kSecond),
    special({.name = "startdelay", .fallback = "0", .help = "Time to wait before the job starts, or a range of it"},
            Type::duration, read_startdelay, 0, kMaxU64, kSecond),
    choice<&Job::clocksource>(
        {.name = "clocksource", .help = "The clock that stamps I/Os (default: the best that was found reliable)"},
        kClocks),
    special({.name = "gtod_reduce",
             .fallback = "0",
             .help = "As few clock reads as possible: no latencies, no bandwidth samples"},
            Type::boolean, read_gtod_reduce, 0, 1),
};

}  // namespace

std::span<const Option> time_options() { return kRows; }

}  // namespace fathom::job
