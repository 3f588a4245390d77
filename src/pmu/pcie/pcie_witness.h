// The PCIe counter of one root port as a witness beside a run. What the job moves is counted and nothing else: a job
// that only reads takes one event, which has the counter to itself and is exact. Events that have to share a counter
// take slots (slots.h) and come with an interval. Counts as result::Count:
//   source pcie_pmu (idle_pcie with `idle`), name of the event, direction read or write, bytes, raw and the rule;
//   source link_pmu, name of the event, no direction, unit count, only with `link_events`.
// Findings: pcie_pmu.shared (another user holds the counter: scaled, with an interval), pcie_pmu.not_counted (never
// ran, or too briefly for an interval: no Count), pcie_pmu.lost, pcie_pmu.aliased, pcie_pmu.no_event.
// Errors of begin(): what perf_event_open said, with what to set. Thread rule: as result::Witness; slots and a shared
// counter are read by a thread of the witness's own, which ends with end().
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
  bool reads = true, writes = false;              // what the job does: directions to count
  bool idle = false;                              // an idle window: begin, wait, end before the run (--settle)
  bool link_events = false;                       // errors and retrains of the link, in slots (--audit=link)
  double unit_bytes = 0;                          // --unit-bytes; 0: the rule's
  slots::SlotPlan slots;                          // how a shared counter is shared
  double confidence = 0.99;
  std::uint64_t seed = 0;            // of the slots' order; 0: from the clock
  const PerfCalls* calls = nullptr;  // nullptr: the kernel's
};

std::unique_ptr<result::Witness> make_pcie_witness(PcieWitnessOptions options);

}  // namespace fathom::pmu::pcie
