// read_iolog= and replay_*: the trace that a job replays, and how.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/request.h"
#include "job/job.h"

namespace fathom::job::fields {

// `wait N` of fio's iolog, version 2: N ms after the start of the job, as fio reads it; or N us after the previous
// `wait`, as fio's HOWTO describes it.
enum class IologWait : std::uint8_t { since_start_ms, after_previous_us };

// Open: I/Os start at the recorded times. Closed: after the completions that
// they followed in the trace, and the recorded pause.
enum class ReplayLoop : std::uint8_t { open, closed };

struct Replay : OfJob {
  std::vector<std::string> traces;  // one per copy of the job, in turn; empty: the job generates its I/Os
  bool chunked = false;
  bool no_stall = false;           // no pauses
  std::string redirect;            // the one target; empty: the files that the trace names
  std::uint32_t scale = 1;         // divisor of offsets
  std::uint64_t align_bytes = 0;   // offsets down and lengths up to multiples of it; 0: as recorded
  std::uint32_t time_scale = 100;  // percent of the recorded rate
  std::uint8_t skipped_dirs = 0;   // bit index(Dir): not replayed
  IologWait wait = IologWait::since_start_ms;
  ReplayLoop loop = ReplayLoop::open;
  // merge_blktrace_*: all traces become one, by time, which is also written to this file. Empty: no merge.
  std::string merge_file;
  std::vector<double> merge_percents;           // by trace, of its times; empty: 100
  std::vector<std::uint64_t> merge_iterations;  // by trace; empty: 1
  bool depth_given = false;                     // iodepth= was written

  bool used() const { return !traces.empty(); }
  bool merges() const { return !merge_file.empty(); }
  bool closed() const { return loop == ReplayLoop::closed; }
  bool skips(io::Dir dir) const { return (skipped_dirs >> io::index(dir) & 1) != 0; }
  const std::string& trace_of(int subjob) const {
    return merges() ? merge_file : traces[static_cast<std::size_t>(subjob) % traces.size()];
  }
};

}  // namespace fathom::job::fields
