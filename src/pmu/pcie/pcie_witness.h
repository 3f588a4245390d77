// The PCIe counter of one root port as a cross-check of a run. It counts only what the job moves: a job that only reads
// needs one event, which has the counter alone and is exact. Events that must share a counter take slots (slots.h) and
// have an interval. Counts as result::Count:
//   source pcie_pmu (idle_pcie with `idle`), name of the event, direction read or write, bytes, raw and the rule;
//   source link_pmu, name of the event, no direction, unit count, only with `link_events`.
// Findings: pcie_pmu.shared (another user has the counter: scaled, with an interval), pcie_pmu.not_counted (never ran,
// or too briefly for an interval: no Count), pcie_pmu.lost, pcie_pmu.aliased, pcie_pmu.no_event.
// Errors of begin(): the error of perf_event_open, with what to set.
// Thread rule: as result::Witness. A separate thread reads slots and a shared counter, and ends with end().
#pragma once
#include <cstdint>
#include <memory>

#include "pmu/events/sources.h"
#include "pmu/pcie/pcie.h"
#include "pmu/perf_call.h"
#include "pmu/slots/slots.h"
#include "result/witness.h"

namespace fathom::pmu::pcie {

struct PcieWitnessOptions {
  PciePmu pmu;
  const events::EventSources* sources = nullptr;  // must outlive begin()
  bool reads = true, writes = false;              // directions of the job, to be counted
  bool idle = false;                              // an idle interval: begin, wait, end before the run (--settle)
  bool link_events = false;                       // errors and retrains of the link, in slots (--audit=link)
  double unit_bytes = 0;                          // --unit-bytes; 0: the rule's
  slots::SlotPlan slots;                          // how a shared counter is shared
  double confidence = 0.99;
  std::uint64_t seed = 0;            // of the slots' order; 0: from the clock
  const PerfCalls* calls = nullptr;  // nullptr: the kernel's
};

std::unique_ptr<result::Witness> make_pcie_witness(PcieWitnessOptions options);

}  // namespace fathom::pmu::pcie
