// The fields of what watching costs: see fields.h.
#pragma once
#include "result/fields.h"
#include "result/watching_cost.h"

namespace fathom::result {

template <class W>
void walk(W& w, Like<CostShare> auto& cost) {
  w.field(Key("share", "what is lost, or added"), cost.share);
  w.field(Key("half_width", "of its 95 % interval; negative: too few slices"), cost.half_width);
}

template <class W>
void walk(W& w, Like<CostTime> auto& cost) {
  w.field(Key("ns", "added"), cost.ns);
  w.field(Key("half_width_ns", "of its 95 % interval; negative: too few slices, or not known"), cost.half_width_ns);
}

template <class W>
void walk(W& w, Like<WatchingCost> auto& cost) {
  w.field(Key("by", "what is judged by: the `rate`, of a paced job the `p50` or the `cpu`; or `nothing`"), cost.by,
          CostBy::cpu);
  w.field(
      Key("from", "watched and unwatched time took turns in `slices` of the run, in its `ramp`, or in a `cost_run`"),
      cost.from, CostFrom::cost_run);
  w.part(Key("rate", "of the rate, in slices against the time before them"), cost.rate);
  w.part(Key("p50",
             "of the median latency, the same; of `paging` that of major faults, of all accesses where they are not "
             "classified"),
         cost.p50);
  w.part(Key("cpu", "of the CPU time an I/O or access, the same"), cost.cpu);
  w.part(Key("cpu_per_io", "the same, in ns"), cost.cpu_per_io);
  w.field(Key("slices", "that were held against the time before them"), cost.slices);
  w.field(Key("added_ns", "to an I/O that is looked at: the median of the differences of deciles"), cost.added_ns);
  w.field(Key("cause", "why it is not measured; empty: it is, or nothing to say"), cost.cause);
}

template <class W>
void walk(W& w, Like<WatcherCost> auto& of) {
  w.field(Key("watcher", "`breakdown`, `audit`, or a witness by its name"), of.watcher);
  w.field(Key("job", "whom it costs that, of `paging` the `accesses`; empty: it could not be switched on"), of.job);
  w.field(Key("job_number", "the same"), of.job_number);
  w.part(Key("cost", "what"), of.cost);
}

}  // namespace fathom::result
