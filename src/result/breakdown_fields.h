// The fields of --breakdown: see fields.h and job_fields.h. In addition to those lists a walker has
//   part_latency(key, part, percentile list)   a latency that is present if a tracepoint bounds it
#pragma once
#include <algorithm>
#include <iterator>

#include "result/job_fields.h"
#include "result/watching_fields.h"

namespace fathom::result {

inline const std::vector<double> kOurPercentiles = {1, 5, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};

// One number per part, by its name.
template <class W, class Shares>
void walk_parts(W& w, const Key& key, const char* what, Shares& of) {
  w.group(key, [&](auto& in) {
    for (std::size_t p = 0; p < kParts; ++p) in.field(Key(name(static_cast<Part>(p)), what), of[p]);
  });
}

template <class W>
void walk(W& w, Like<BreakdownBand> auto& band) {
  w.field(Key("name", "`p0-50`, `p50-99`, `p99-99.9`, `above p99.9`: percentiles of the latencies of all I/Os"),
          band.name);
  w.field(Key("from_ns", "lower edge"), band.from_ns);
  w.field(Key("to_ns", "upper edge"), band.to_ns);
  w.field(Key("ios", "divided I/Os of the band"), band.ios);
  w.field(Key("time_share", "share of the time of all I/Os, traced or not"), band.time_share);
  w.field(Key("explained_share", "divided share of the time of its traced I/Os"), band.explained_share);
  w.field(Key("slices", "slices in which the band was seen; 0: not traced in slices"), band.slices);
  w.field(Key("told", "enough I/Os were divided: the band has shares"), band.told);
  walk_parts(w, Key("mean_ns", "mean of each part, over all divided I/Os of the band"), "mean time of the part",
             band.mean_ns);
  walk_parts(w, Key("share", "share of each part in the time of these I/Os"), "share of the part", band.share);
  walk_parts(w, Key("share_half_width", "half of the 95 % interval of the share; negative: unknown"),
             "half width of its interval", band.share_half_width);
}

template <class W>
void walk(W& w, Like<BreakdownClass> auto& c) {
  const auto undivided = [](std::size_t i) {
    const auto why = static_cast<Undivided>(i);
    return Key(name(why), "not divided: see docs/reference/breakdown.md", why == Undivided::no_room ? 15 : kOldestRead);
  };
  w.field(Key("job", "job name"), c.job);
  w.field(Key("job_number", "job number"), c.job_number);
  w.field(Key("direction", "`read`, `write`, `trim`, `sync`"), c.direction);
  w.field(Key("ios", "traced I/Os"), c.ios);
  w.field(Key("matched", "I/Os with a request of the block layer"), c.matched);
  for (std::size_t i = 0; i < kUndivided; ++i) w.field(undivided(i), c.undivided[i].ios);
  w.group(Key("undivided_ns", "time of the I/Os that were not divided, by the same names"), [&](auto& in) {
    for (std::size_t i = 0; i < kUndivided; ++i) in.field(undivided(i), c.undivided[i].time_ns);
  });
  w.derived(Key("explained_share", "divided share of the time of all traced I/Os"), [&] { return explained_share(c); });
  w.derived(Key("stands_for_job", "its percentiles represent the job"), [&] { return stands_for_job(c); });
  w.field(Key("direct", "direct=1: I/O bypasses the page cache"), c.direct);
  w.field(Key("flushes", "flushes that followed the data"), c.flushes);
  w.field(Key("fua", "matched I/Os that the device itself wrote through its cache (FUA)"), c.fua);
  w.field(Key("outside", "matched I/Os with events outside issue to reap: the clocks disagree"), c.outside);
  w.field(Key("outside_ns", "sum of the time outside"), c.outside_ns);
  w.field(Key("outside_max_ns", "longest time outside"), c.outside_max_ns);
  constexpr const char* kWhat[] = {
      "issue to block_bio_queue",
      "from the end of `tags` to block_rq_issue",
      "from the end of `queue` to block_rq_complete",
      "from the end of `device` or `flush` to the program's timestamp at the reap",
      "issue to block_bio_queue, of I/Os that a limit throttled",
      "issue to block_bio_queue, of other I/Os that another task queued",
      "waiting for a flush before or after the data",
      "block_bio_queue to block_getrq: request allocation, or admission by a throttler",
      "CPU wait in the completion path",
      "waiting for pages that read-ahead was already reading",
      "of a buffered write: waiting for write-back",
      "of fsync: write-back of its own data",
      "of fsync: a commit that ran before its own",
      "of fsync: its commit",
      "of fsync: the whole call, if no events divide it",
      "of a loop with a ring: from the I/O's entry into the ring to the call that submits it"};
  static_assert(std::size(kWhat) == kParts);
  for (std::size_t p = 0; p < kParts; ++p)
    w.part_latency(Key(name(static_cast<Part>(p)), kWhat[p]), c.parts[p], kOurPercentiles);
  w.field(Key("slices", "slices with divided I/Os; 0: not traced in slices"), c.slices);
  walk_parts(w,
             Key("share_half_width",
                 "half of the 95 % interval of each part's share of the time, by slices; negative: unknown"),
             "half width of its interval", c.share_half_width);
  walk_parts(w,
             Key("share", "in `slices`: share of each part in the time of all I/Os, band by band; negative: unknown"),
             "share of the part", c.share);
  w.derived(Key("untold_share", "share of that time in bands with too few traced I/Os"),
            [&] { return untold_share(c); });
  w.list(Key("bands", "in `all` and `slices`: four bands of latency"), "band", c.bands);
  w.part(Key("watching", "overhead of tracing, by slices of the run or of its ramp"), c.watching);
  w.part_latency(Key("whole", "issue to reap of the matched I/Os"), c.whole, kOurPercentiles);
  w.part_latency(Key("others", "issue to reap of I/Os that were not traced: shows the effect of tracing on the rest"),
                 c.others, kOurPercentiles);
  w.part_latency(Key("uncovered", "issue to reap of traced I/Os that were not divided (`no_request`, `unknown`)"),
                 c.uncovered, kOurPercentiles);
}

template <class W>
void walk(W& w, Like<Breakdown> auto& b) {
  w.field(Key("asked", "`--breakdown` was given"), b.asked);
  w.field(Key("cause", "why there is no breakdown, or an incomplete one; empty: nothing to report"), b.cause);
  w.field(Key("mode", "traced I/Os: `all`, or those in random `slices` of time; `by_rate`: none"), b.mode,
          BreakdownMode::slices);
  w.texts(Key("io_limits", "active I/O limits of cgroups, which may have throttled I/Os"), b.io_limits);
  w.field(Key("events_by", "`BTF programs`, or `BPF programs` if the kernel has no BTF; empty: no programs"),
          b.events_by);
  w.texts(Key("tracepoints", "tracepoints that the breakdown is based on"), b.tracepoints);
  w.texts(Key("devices", "\"vda (requests)\", \"zram0 (bios)\""), b.devices);
  field_if(w, !b.events_by.empty(),
           Key("clock_error_ns", "bound on the difference between the job's clock and the kernel's"), b.clock_error_ns);
  w.field(Key("events_lost", "events that were not read"), b.events_lost);
  if (w.there("requests_beyond", b.requests_beyond > 0))
    w.field(Key("requests_beyond", "requests with more bios than are followed", 15), b.requests_beyond);
  w.field(Key("seen_share", "share of the run's time with enabled tracepoints"), b.seen_share);
  w.list(Key("classes", "one per direction of a reported job"), "class", b.classes);
}

}  // namespace fathom::result
