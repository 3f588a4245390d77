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
  bool depth_given = false;  // iodepth= was written

  bool used() const { return !traces.empty(); }
  bool skips(io::Dir dir) const { return (skipped_dirs >> io::index(dir) & 1) != 0; }
  const std::string& trace_of(int subjob) const { return traces[static_cast<std::size_t>(subjob) % traces.size()]; }
};

}  // namespace fathom::job::fields
