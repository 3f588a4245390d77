// Where the latency of a job's I/Os was spent: parts of each I/O between stamps of the program and tracepoints of the
// kernel's block layer, on one time scale. docs/breakdown.md says how to read it. Plain data.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "stats/histogram.h"
#include "stats/moments.h"

namespace fathom::result {

// submit: program's issue stamp to block_bio_queue; queue: to block_rq_issue; device: to block_rq_complete (bio
// devices: queue and device cannot be told apart, and `queue` is not covered); completion: to the program's reap stamp.
enum class Part { submit, queue, device, completion };
inline constexpr std::size_t kParts = 4;
constexpr const char* name(Part p) {
  constexpr const char* names[] = {"submit", "queue", "device", "completion"};
  return names[static_cast<int>(p)];
}

struct PartLatency {
  bool covered = false;  // a tracepoint bounds it on this device
  stats::Moments moments_ns;
  stats::Histogram histogram_ns;
};

// One direction of one reported job.
struct BreakdownClass {
  std::string job, direction;  // "read", "write", "trim"
  int job_number = 0;
  std::uint64_t ios = 0;         // looked at
  std::uint64_t matched = 0;     // with a request of the block layer
  std::uint64_t no_request = 0;  // none was made: page cache, or a file system that answered itself
  std::uint64_t contested = 0;  // another I/O was at the same sectors at the same time: whose event is whose is unknown
  std::uint64_t unplaced = 0;   // where its bytes lie on the disk is not known
  std::uint64_t cut = 0;        // it was under way when the tracepoints were switched off
  std::uint64_t lost = 0;       // events of it are missing, or its stamp found no room
  // Of the matched: those whose events lay outside issue..reap (the clocks disagree), by how much in all and at most.
  // Their parts add up to so much more than their whole.
  std::uint64_t outside = 0, outside_ns = 0, outside_max_ns = 0;
  PartLatency parts[kParts];  // of matched I/Os
  PartLatency whole;          // of matched I/Os: issue to reap, stamped by the program
  PartLatency sum;            // of matched I/Os: the sum of the parts of each
  PartLatency others;         // not looked at, because tracing was off: issue to reap. What tracing does to the rest
  PartLatency uncovered;      // of I/Os without a request: issue to reap
};

struct Breakdown {
  bool asked = false;
  std::string cause;  // why there is none, where there is none
  std::vector<BreakdownClass> classes;
  std::string events_by;     // "BPF programs", "perf samples" (some kernels make none on idle CPUs), "": none
  std::string not_programs;  // why it was not programs
  std::vector<std::string> tracepoints;  // "block:block_rq_issue", ...
  std::vector<std::string> devices;      // "vda (requests)", "zram0 (bios)"
  double clock_error_ns = 0;             // bound on the alignment of the program's clock and the kernel's
  std::uint64_t events = 0, events_lost = 0;
  std::uint64_t stamps_lost = 0;  // found no room in their ring
  std::uint32_t one_in = 1;       // I/Os looked at: one in so many, by slices of time
  double seen_share = 1;          // of the run's time in which the tracepoints were switched on
  double reader_cpu_s = 0;        // what reading cost
  double lost_at_s = -1;          // the tracepoints vanished then; < 0: they did not
};

}  // namespace fathom::result
