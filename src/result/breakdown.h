// Shows where an I/O spends its latency: timestamps of the program and tracepoints of the kernel's block layer, on one
// time scale, divide each I/O of a job into parts. docs/breakdown.md explains how to read it. Plain data.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "result/watching_cost.h"
#include "stats/latency_bands.h"
#include "stats/percentiles.h"

namespace fathom::result {

// program: in a loop with a ring, from an I/O's entry into the ring to the call that submits the ring. submit: from
// there, or from the program's issue timestamp, to block_bio_queue. tags: to block_getrq. queue: to block_rq_issue.
// device: to block_rq_complete. (On bio devices tags, queue and device cannot be separated; the first two are not
// covered.) completion: to the program's reap timestamp, without cpu. cpu: the time of this in which the task waited
// for a CPU.
// held: as submit, for an I/O that a kernel thread queued while an I/O limit was active; this is how a limit throttles.
// handed: as submit, for any other I/O that another task queued. flush: of an I/O that waits for a flush before its
// data, in place of `queue`; of one that waits after its data, between `device` and `completion`. ahead: wait for pages
// that read-ahead was already reading. dirty: a buffered write that had to wait for write-back.
// fsync and similar calls have: data, write-back of the call's own data; others_commit, an earlier commit of the
// journal; commit, its own commit; flush; file_system, the whole call, if no events divide it.
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
inline constexpr std::size_t kEventParts = 4;  // parts that events alone can separate
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

// Why a traced I/O has no parts. docs/reference/breakdown.md explains the reasons.
enum class Undivided {
  no_request,  // no request was made: page cache (never with direct=1), a hole, or blocks were only reserved
  contested,   // overlapping: another I/O was at the same sectors at the same time; its events could belong to either
  unplaced,    // the location of its bytes on the disk is unknown
  cut,         // unfinished when the tracepoints were switched off
  lost,        // some of its events are missing
  unknown,     // no event was seen, none is known to be missing, and it cannot have been the page cache
  no_room,     // the table of active I/Os was full: other I/Os took all of it
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
  stats::PercentileTable percentiles_ns = {};  // as in result::Latency
  bool operator==(const PartLatency&) const = default;
};

using PartShares = std::array<double, kParts>;
inline constexpr PartShares kNotKnown = [] {
  PartShares none{};
  none.fill(-1);
  return none;
}();

// One of four bands of latency. The edges are ranks in the job's whole histogram: stats/latency_bands.h.
struct BreakdownBand {
  std::string name;               // "p0-50", "p50-99", "p99-99.9", "above p99.9"
  double from_ns = 0, to_ns = 0;  // latencies at its edges
  std::uint64_t ios = 0;          // traced and divided I/Os in the band
  double time_share = 0;          // share of the time of all I/Os, traced or not
  double explained_share = 1;     // divided share of the time of its traced I/Os
  std::uint64_t slices = 0;       // slices with I/Os of the band; 0: not traced in slices
  bool told = false;              // enough was traced: the band has shares
  PartShares mean_ns{}, share{};  // of each part: mean over all I/Os of the band; share of the band's time
  PartShares share_half_width = kNotKnown;
  bool operator==(const BreakdownBand&) const = default;
};

// One direction of one reported job.
struct BreakdownClass {
  std::string job, direction;  // "read", "write", "trim", "sync"
  int job_number = 0;
  std::uint64_t ios = 0;      // traced
  std::uint64_t matched = 0;  // with a request of the block layer
  // I/Os that were not divided, and the sum of their times, issue to reap.
  struct Rest {
    std::uint64_t ios = 0, time_ns = 0;
    bool operator==(const Rest&) const = default;
  };
  Rest undivided[kUndivided] = {};
  Rest& of(Undivided why) { return undivided[static_cast<std::size_t>(why)]; }
  const Rest& of(Undivided why) const { return undivided[static_cast<std::size_t>(why)]; }
  bool direct = false;        // direct=1: I/O bypasses the page cache
  std::uint64_t flushes = 0;  // writes with sync=: device flushes that they waited for after their data
  std::uint64_t fua = 0;      // matched I/Os that the device itself wrote through its cache
  // Matched I/Os with events outside issue..reap (the clocks disagree): their number, and the sum and maximum of the
  // time outside. Their parts add up to that much more than their whole.
  std::uint64_t outside = 0, outside_ns = 0, outside_max_ns = 0;
  PartLatency parts[kParts];  // of matched I/Os
  PartLatency whole;          // matched I/Os: issue to reap, by the program's timestamps
  PartLatency others;         // untraced I/Os (tracing was off): issue to reap; shows the effect of tracing
  std::uint64_t slices = 0;   // slices with divided I/Os; 0: not traced in slices
  // Half of the 95 % interval of each part's share of the whole time, by slices; negative: too few slices.
  PartShares share_half_width = kNotKnown;
  // In slices: each part's share of the time of all I/Os, band by band; negative: no band has shares.
  PartShares share = kNotKnown;
  std::vector<BreakdownBand> bands;  // in modes all and slices: stats::kBands of them
  WatchingCost watching;
  PartLatency uncovered;  // I/Os with no_request or unknown: issue to reap
  bool operator==(const BreakdownClass&) const = default;
};

// The time of all traced I/Os, and the share of it that the parts explain (1 if the time is 0).
inline double looked_at_ns(const BreakdownClass& c) {
  double ns = static_cast<double>(c.whole.moments_ns.sum);
  for (const auto& rest : c.undivided) ns += static_cast<double>(rest.time_ns);
  return ns;
}
inline double explained_share(const BreakdownClass& c) {
  const double all_ns = looked_at_ns(c);
  return all_ns > 0 ? static_cast<double>(c.whole.moments_ns.sum) / all_ns : 1;
}
// Below either limit, percentiles of the parts represent a few I/Os, and not the job.
inline constexpr double kLeastExplained = 0.9;
inline constexpr std::uint64_t kFewestDivided = 100;
inline bool stands_for_job(const BreakdownClass& c) {
  return c.matched >= kFewestDivided && explained_share(c) >= kLeastExplained;
}

// Share of the job's time in bands with too few traced I/Os. No part of it can be attributed.
inline double untold_share(const BreakdownClass& c) {
  double share = 0;
  for (const auto& band : c.bands)
    if (!band.told) share += band.time_share;
  return share;
}

// all, slices: each traced I/O is divided by its own loop.
// by_rate: no I/O was traced; an older method had this name.
enum class BreakdownMode { by_rate, all, slices };
constexpr const char* name(BreakdownMode mode) {
  constexpr const char* names[] = {"by_rate", "all", "slices"};
  return names[static_cast<int>(mode)];
}

struct Breakdown {
  bool asked = false;
  BreakdownMode mode = BreakdownMode::by_rate;
  std::string cause;  // why there is no breakdown, or an incomplete one
  std::vector<BreakdownClass> classes;
  std::vector<std::string> io_limits;    // active limits of cgroups, which may have caused `held`
  std::string events_by;                 // "BTF programs"; "BPF programs" if the kernel has no BTF; "": no programs
  std::vector<std::string> tracepoints;  // "block:block_rq_issue", ...
  std::vector<std::string> devices;      // "vda (requests)", "zram0 (bios)"
  double clock_error_ns = 0;             // error bound of the alignment of the program's clock with the kernel's
  std::uint64_t events_lost = 0;
  std::uint64_t requests_beyond = 0;  // requests with more bios than are followed
  double seen_share = 1;              // share of the run's time with tracepoints switched on
  bool operator==(const Breakdown&) const = default;
};

}  // namespace fathom::result
