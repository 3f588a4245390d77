// The fields of the probe overhead: see fields.h.
#pragma once
#include "result/fields.h"
#include "result/watching_cost.h"

namespace fathom::result {

template <class W>
void walk(W& w, Like<CostShare> auto& cost) {
  w.field(Key("share", "loss of rate, or increase of latency or CPU time"), cost.share);
  w.field(Key("half_width", "half of the 95 % interval; negative: too few slices"), cost.half_width);
}

template <class W>
void walk(W& w, Like<CostTime> auto& cost) {
  w.field(Key("ns", "added time"), cost.ns);
  w.field(Key("half_width_ns", "half of the 95 % interval; negative: too few slices, or unknown"), cost.half_width_ns);
}

template <class W>
void walk(W& w, Like<WatchingCost> auto& cost) {
  w.field(Key("by", "deciding quantity: the `rate`; for a paced job the `p50` or the `cpu`; or `nothing`"), cost.by,
          CostBy::cpu);
  w.field(Key("from",
              "time with and without the probe alternated in `slices` of the run, in its `ramp`, or in a `cost_run`"),
          cost.from, CostFrom::cost_run);
  w.part(Key("rate", "loss of rate in slices, compared with the time before them"), cost.rate);
  w.part(Key("p50",
             "increase of the median latency, likewise; with `paging`: of major faults, or of all accesses if they are "
             "not classified"),
         cost.p50);
  w.part(Key("cpu", "increase of the CPU time per I/O or access, likewise"), cost.cpu);
  w.part(Key("cpu_per_io", "the same increase in ns"), cost.cpu_per_io);
  w.field(Key("slices", "slices that were compared with the time before them"), cost.slices);
  w.field(Key("added_ns", "added to a traced I/O: the median of the differences of deciles"), cost.added_ns);
  w.field(Key("cause", "why the overhead was not measured; empty: it was, or nothing to report"), cost.cause);
}

template <class W>
void walk(W& w, Like<WatcherCost> auto& of) {
  w.field(Key("watcher", "probe: `breakdown`, `audit`, or the name of a cross-check"), of.watcher);
  w.field(Key("job", "job with this overhead; with `paging`: `accesses`; empty: the probe could not be enabled"),
          of.job);
  w.field(Key("job_number", "number of that job"), of.job_number);
  w.part(Key("cost", "the overhead"), of.cost);
}

}  // namespace fathom::result
