// Where the latency of a job's I/Os was spent: parts of each I/O between stamps of the program and tracepoints of the
// kernel's block layer, on one time scale. docs/breakdown.md says how to read it. Plain data.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "result/watching_cost.h"
#include "stats/latency_bands.h"
#include "stats/percentiles.h"

namespace fathom::result {

// program: of a loop with a ring, from an I/O's entry in it to the call that submits the ring; submit: from there, or from
// the program's issue stamp, to block_bio_queue; tags: to block_getrq; queue: to block_rq_issue; device: to
// block_rq_complete (bio devices: tags, queue and device cannot be told apart, and the first two are not covered);
// completion: to the program's reap stamp, without cpu, which is what of it the task waited for a CPU.
// held: as submit, of an I/O that a thread of the kernel queued while a limit of I/O is in force, as that makes it;
// handed: of any other that another task queued; flush: of one that waits for a flush before its data, instead of
// `queue`; of one that waits after them, between `device` and `completion`. ahead: waiting for pages that read-ahead had
// on their way; dirty: a buffered write that had to wait for write-back.
// Of fsync and its like: data, its own that is written back; others_commit, a commit of the journal that ran before its
// own; commit, its own; flush; file_system: all of it, where no events tell it apart.
enum class Part {
  submit,
  queue,
  device,
  completion,
  held,
  handed,
  flush,
  tags,
  cpu,
  ahead,
  dirty,
  data,
  others_commit,
  commit,
  file_system,
  program,
};
inline constexpr std::size_t kParts = 16;
inline constexpr std::size_t kEventParts = 4;  // those that events alone tell apart
inline constexpr Part kInOrder[kParts] = {Part::program, Part::submit,        Part::handed,     Part::held,
                                          Part::tags,    Part::queue,         Part::device,     Part::dirty,
                                          Part::data,    Part::others_commit, Part::commit,     Part::file_system,
                                          Part::flush,   Part::ahead,         Part::completion, Part::cpu};
constexpr const char* name(Part p) {
  constexpr const char* names[] = {"submit",        "queue",  "device",      "completion", "held",  "handed",
                                   "flush",         "tags",   "cpu",         "ahead",      "dirty", "data",
                                   "others_commit", "commit", "file_system", "program"};
  return names[static_cast<int>(p)];
}

// Why an I/O that was looked at has no parts. docs/reference/breakdown.md has them in words.
enum class Undivided {
  no_request,  // none was made for it: the page cache (never of a job with direct=1), a hole, blocks only reserved
  contested,   // another I/O was at the same sectors at the same time: whose event is whose is not known
  unplaced,    // where its bytes lie on the disk is not known
  cut,         // it was under way when the tracepoints were switched off
  lost,        // some of its events are missing
  unknown,     // none of its events was seen, nothing is known to be missing, and it cannot have been the page cache
  no_room,     // the table of what is under way was full: other I/Os took all of it
};
inline constexpr std::size_t kUndivided = 7;
constexpr const char* name(Undivided why) {
  constexpr const char* names[] = {"no_request", "contested", "unplaced", "cut", "lost", "unknown", "no_room"};
  return names[static_cast<int>(why)];
}

struct PartLatency {
  bool covered = false;  // a tracepoint bounds it on this device
  stats::Moments moments_ns;
  stats::Histogram histogram_ns;
  stats::PercentileTable percentiles_ns = {};  // as of result::Latency
  bool operator==(const PartLatency&) const = default;
};

using PartShares = std::array<double, kParts>;
inline constexpr PartShares kNotKnown = [] {
  PartShares none{};
  none.fill(-1);
  return none;
}();

// One of four bands of latency, whose edges are ranks in the job's whole histogram: stats/latency_bands.h.
struct BreakdownBand {
  std::string name;               // "p0-50", "p50-99", "p99-99.9", "above p99.9"
  double from_ns = 0, to_ns = 0;  // where its edges lie
  std::uint64_t ios = 0;          // that were watched in it, and divided
  double time_share = 0;          // of the time of all I/Os, watched or not
  double explained_share = 1;     // of the time of those watched in it
  std::uint64_t slices = 0;       // in which it was seen; 0: not watched in slices
  bool told = false;              // enough were watched: it has shares
  PartShares mean_ns{}, share{};  // of each part: over all of the band's I/Os, of the band's time
  PartShares share_half_width = kNotKnown;
  bool operator==(const BreakdownBand&) const = default;
};

// One direction of one reported job.
struct BreakdownClass {
  std::string job, direction;  // "read", "write", "trim", "sync"
  int job_number = 0;
  std::uint64_t ios = 0;      // looked at
  std::uint64_t matched = 0;  // with a request of the block layer
  // The others, and their time, issue to reap, together.
  struct Rest {
    std::uint64_t ios = 0, time_ns = 0;
    bool operator==(const Rest&) const = default;
  };
  Rest undivided[kUndivided] = {};
  Rest& of(Undivided why) { return undivided[static_cast<std::size_t>(why)]; }
  const Rest& of(Undivided why) const { return undivided[static_cast<std::size_t>(why)]; }
  bool direct = false;  // direct=1: no page cache is between
  std::uint64_t flushes =
      0;                  // of writes with sync=: flushes seen on the devices, for which they waited after their data
  std::uint64_t fua = 0;  // of the matched, those that the device itself wrote through its cache
  // Of the matched: those whose events lay outside issue..reap (the clocks disagree), by how much in all and at most.
  // Their parts add up to so much more than their whole.
  std::uint64_t outside = 0, outside_ns = 0, outside_max_ns = 0;
  PartLatency parts[kParts];  // of matched I/Os
  PartLatency whole;          // of matched I/Os: issue to reap, stamped by the program
  PartLatency others;         // not looked at, because tracing was off: issue to reap. What tracing does to the rest
  std::uint64_t slices = 0;   // of time in which some were divided; 0: not watched in slices
  // Of each part's share of the whole's time, by slices: half of its 95 % interval; negative: too few slices.
  PartShares share_half_width = kNotKnown;
  // Of slices: each part's share of the time of all I/Os, band by band; negative: no band is told.
  PartShares share = kNotKnown;
  std::vector<BreakdownBand> bands;  // of all and slices: stats::kBands
  WatchingCost watching;
  PartLatency uncovered;  // of no_request and unknown: issue to reap
  bool operator==(const BreakdownClass&) const = default;
};

// The time of all I/Os looked at, and the share of it that the parts explain (1 where there was none).
inline double looked_at_ns(const BreakdownClass& c) {
  double ns = static_cast<double>(c.whole.moments_ns.sum);
  for (const auto& rest : c.undivided) ns += static_cast<double>(rest.time_ns);
  return ns;
}
inline double explained_share(const BreakdownClass& c) {
  const double all_ns = looked_at_ns(c);
  return all_ns > 0 ? static_cast<double>(c.whole.moments_ns.sum) / all_ns : 1;
}
// Below either, percentiles of the parts are those of a few I/Os, and not of the job.
inline constexpr double kLeastExplained = 0.9;
inline constexpr std::uint64_t kFewestDivided = 100;
inline bool stands_for_job(const BreakdownClass& c) {
  return c.matched >= kFewestDivided && explained_share(c) >= kLeastExplained;
}

// Of the job's time what lies in bands that too few were watched in: of it no part is told.
inline double untold_share(const BreakdownClass& c) {
  double share = 0;
  for (const auto& band : c.bands)
    if (!band.told) share += band.time_share;
  return share;
}

// all, slices: each I/O that is watched is divided by its own loop.
// by_rate: none was watched; an older way of watching had that name.
enum class BreakdownMode { by_rate, all, slices };
constexpr const char* name(BreakdownMode mode) {
  constexpr const char* names[] = {"by_rate", "all", "slices"};
  return names[static_cast<int>(mode)];
}

struct Breakdown {
  bool asked = false;
  BreakdownMode mode = BreakdownMode::by_rate;
  std::string cause;  // why there is none, where there is none
  std::vector<BreakdownClass> classes;
  std::vector<std::string> io_limits;    // of cgroups, in force: who may have held what is in `held`
  std::string events_by;                 // "BTF programs"; "BPF programs" where the kernel has no BTF; "": nothing
  std::vector<std::string> tracepoints;  // "block:block_rq_issue", ...
  std::vector<std::string> devices;      // "vda (requests)", "zram0 (bios)"
  double clock_error_ns = 0;             // bound on the alignment of the program's clock and the kernel's
  std::uint64_t events_lost = 0;
  std::uint64_t requests_beyond = 0;  // of more bios than are followed
  double seen_share = 1;              // of the run's time in which the tracepoints were switched on
  bool operator==(const Breakdown&) const = default;
};

}  // namespace fathom::result
