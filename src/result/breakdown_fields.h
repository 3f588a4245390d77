// The fields of --breakdown: see fields.h and job_fields.h. Beside what is told there a walker has
//   part_latency(key, part, percentile list)   a latency that is there where a tracepoint bounds it
#pragma once
#include <algorithm>
#include <iterator>

#include "result/job_fields.h"
#include "result/watching_fields.h"

namespace fathom::result {

inline const std::vector<double> kOurPercentiles = {1, 5, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};

// A number for each part, by its name.
template <class W, class Shares>
void walk_parts(W& w, const Key& key, const char* what, Shares& of) {
  w.group(key, [&](auto& in) {
    for (std::size_t p = 0; p < kParts; ++p) in.field(Key(name(static_cast<Part>(p)), what), of[p]);
  });
}

template <class W>
void walk(W& w, Like<BreakdownBand> auto& band) {
  w.field(Key("name", "`p0-50`, `p50-99`, `p99-99.9`, `above p99.9`: of the latencies of all I/Os"), band.name);
  w.field(Key("from_ns", "where it begins"), band.from_ns);
  w.field(Key("to_ns", "where it ends"), band.to_ns);
  w.field(Key("ios", "of it that were divided"), band.ios);
  w.field(Key("time_share", "of the time of all I/Os, watched or not"), band.time_share);
  w.field(Key("explained_share", "of the time of its I/Os that were looked at"), band.explained_share);
  w.field(Key("slices", "of time in which it was seen; 0: not watched in slices"), band.slices);
  w.field(Key("told", "enough were divided: it has shares"), band.told);
  walk_parts(w, Key("mean_ns", "of each part, over all of its I/Os that were divided"), "on average", band.mean_ns);
  walk_parts(w, Key("share", "of each part, of the time of those"), "its share", band.share);
  walk_parts(w, Key("share_half_width", "half of the 95 % interval; negative: none is known"),
             "its share is within this", band.share_half_width);
}

template <class W>
void walk(W& w, Like<BreakdownClass> auto& c) {
  const auto undivided = [](std::size_t i) {
    const auto why = static_cast<Undivided>(i);
    return Key(name(why), "not divided: docs/breakdown.md", why == Undivided::no_room ? 15 : kOldestRead);
  };
  w.field(Key("job", "whose"), c.job);
  w.field(Key("job_number", "whose"), c.job_number);
  w.field(Key("direction", "`read`, `write`, `trim`, `sync`"), c.direction);
  w.field(Key("ios", "looked at"), c.ios);
  w.field(Key("matched", "with a request of the block layer"), c.matched);
  for (std::size_t i = 0; i < kUndivided; ++i) w.field(undivided(i), c.undivided[i].ios);
  w.group(Key("undivided_ns", "the time of those, by the same names"), [&](auto& in) {
    for (std::size_t i = 0; i < kUndivided; ++i) in.field(undivided(i), c.undivided[i].time_ns);
  });
  w.derived(Key("explained_share", "of the time of all I/Os looked at"), [&] { return explained_share(c); });
  w.derived(Key("stands_for_job", "its percentiles are the job's"), [&] { return stands_for_job(c); });
  w.field(Key("direct", "direct=1: no page cache is between"), c.direct);
  w.field(Key("flushes", "that followed their data"), c.flushes);
  w.field(Key("fua", "of the matched: written through the device's cache by itself (FUA)"), c.fua);
  w.field(Key("outside", "of the matched: events lay outside issue to reap, for the clocks disagree"), c.outside);
  w.field(Key("outside_ns", "by so much in all"), c.outside_ns);
  w.field(Key("outside_max_ns", "by so much at most"), c.outside_max_ns);
  constexpr const char* kWhat[] = {"issue to block_bio_queue",
                                   "to block_rq_issue",
                                   "to block_rq_complete",
                                   "to the program's reap stamp",
                                   "issue to block_bio_queue, of I/Os that a limit held",
                                   "the same of others that another task queued",
                                   "waiting for a flush before or after the data",
                                   "block_bio_queue to block_getrq: waiting for a tag, or for whoever limits",
                                   "of the way back: waiting for a CPU",
                                   "waiting for pages that read-ahead had on their way",
                                   "of a buffered write: waiting for write-back",
                                   "of fsync: its own data is written back",
                                   "of fsync: a commit that ran before its own",
                                   "of fsync: its commit",
                                   "of fsync: all of it, where no events tell it apart",
                                   "of a loop with a ring: from an I/O's entry in it to the call that submits it"};
  static_assert(std::size(kWhat) == kParts);
  for (std::size_t p = 0; p < kParts; ++p)
    w.part_latency(Key(name(static_cast<Part>(p)), kWhat[p]), c.parts[p], kOurPercentiles);
  w.field(Key("slices", "of time in which some were divided; 0: not watched in slices"), c.slices);
  walk_parts(w,
             Key("share_half_width",
                 "of each part's share of the time, by slices: half of the 95 % interval; negative: none is known"),
             "its share is within this", c.share_half_width);
  walk_parts(w, Key("share", "of slices: each part's share of the time of all I/Os, band by band; negative: not known"),
             "its share", c.share);
  w.derived(Key("untold_share", "of that time, in bands that too few were looked at in"),
            [&] { return untold_share(c); });
  w.list(Key("bands", "of `all` and `slices`: four, by latency"), "band", c.bands);
  w.part(Key("watching", "what it costs, by slices of the run or of its ramp"), c.watching);
  w.part_latency(Key("whole", "issue to reap of those matched"), c.whole, kOurPercentiles);
  w.part_latency(Key("others", "not looked at: what tracing does to the rest"), c.others, kOurPercentiles);
  w.part_latency(Key("uncovered", "looked at, and not divided"), c.uncovered, kOurPercentiles);
}

template <class W>
void walk(W& w, Like<Breakdown> auto& b) {
  w.field(Key("asked", "`--breakdown` was given"), b.asked);
  w.field(Key("cause", "why there is none, or not of all; empty: nothing to say"), b.cause);
  w.field(Key("mode", "which I/Os were looked at: `all`, or those of drawn `slices` of time; `by_rate`: none"), b.mode,
          BreakdownMode::slices);
  w.texts(Key("io_limits", "of cgroups, in force: what may have held I/Os"), b.io_limits);
  w.field(Key("events_by", "`BTF programs`, or `BPF programs` where the kernel has no BTF; empty: by nothing"),
          b.events_by);
  w.texts(Key("tracepoints", "it was found on"), b.tracepoints);
  w.texts(Key("devices", "\"vda (requests)\", \"zram0 (bios)\""), b.devices);
  field_if(w, !b.events_by.empty(), Key("clock_error_ns", "bound on how far the job's clock and the kernel's disagree"),
           b.clock_error_ns);
  w.field(Key("events_lost", "not read"), b.events_lost);
  if (w.there("requests_beyond", b.requests_beyond > 0))
    w.field(Key("requests_beyond", "requests of more bios than are followed", 15), b.requests_beyond);
  w.field(Key("seen_share", "of the time tracepoints were on"), b.seen_share);
  w.list(Key("classes", "one for each direction of a reported job"), "class", b.classes);
}

}  // namespace fathom::result
