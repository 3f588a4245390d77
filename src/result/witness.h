// A witness beside the measured path: it is begun before the first worker starts and ended after the last has stopped,
// and says what it counted in between. pmu/ and host/ make them, cli/ hands them to a run, audit/ holds what they say
// against the result. A witness never touches the loop. Errors: a witness that cannot begin says why, and the run goes on
// without it; one that loses its source in mid-run ends with what it had until then and `lost_at_s`.
// Thread rule: begin, tick and end are called by one thread.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "result/finding.h"

namespace fathom::result {

// One number a witness has counted over its window. `low` and `high` bound it with `confidence`; equal: exact.
struct Count {
  std::string source;     // pcie_pmu, link_pmu, link, block, partition, process, smart, driver, others, idle_block,
                          // idle_pcie
  std::string subject;    // "pcie_bdf_200", "vda", "0000:00:02.0", "4711 dd"
  std::string name;       // event or column: "Rx_PCIe_TLP_Data_Payload", "read_bytes", "aer_dev_correctable/BadTLP"
  std::string direction;  // "read" (to memory), "write" (from memory), "": neither
  double value = 0;       // in `unit`
  std::string unit;       // "bytes", "count", "percent", "GT/s", "lanes"
  double low = 0, high = 0;
  double confidence = 0;            // 0.99; 0: exact
  double window_s = 0;              // over which it was counted
  std::string rule;                 // how raw counts became the unit: "raw x 16 (pcie_bdf_*, not verified)"
  double raw = 0;                   // the counter's own increments, before the rule
  double unit_bytes = 0;            // of one increment, where the rule is of bytes
  bool aliased = false;             // the estimate changes with the slot length
  std::optional<double> lost_at_s;  // the source vanished then
  bool operator==(const Count&) const = default;
};

struct WitnessReport {
  std::vector<Count> counts;
  std::vector<Finding> findings;
};

class Witness {
 public:
  virtual ~Witness() = default;
  virtual std::string name() const = 0;  // "PCIe PMU pcie_bdf_200", for "no witness: …"
  virtual base::Expected<void> begin() = 0;
  virtual void tick() {}  // now and then while the run goes on (at least once a second)
  virtual WitnessReport end() = 0;
  // Between begin and end whoever is counted pays for it (tracepoints, counters that are read in turns), and not only for
  // what tick() takes.
  virtual bool burdens() const { return false; }
  // That it could not begin is no lack: many devices have nothing of the kind.
  virtual bool may_have_nothing() const { return false; }
};

}  // namespace fathom::result
