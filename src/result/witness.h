// A cross-check of the measured path: it begins before the first worker starts, ends after the last has stopped, and
// reports its counts of the time in between. pmu/ and host/ create them, cli/ passes them to a run, audit/ compares
// their counts with the result. A cross-check never touches the loop. Errors: if a cross-check cannot begin, it returns
// the reason, and the run continues without it. If it loses its source during the run, it ends with the counts until
// then and `lost_at_s`. Thread rule: one thread calls begin, tick and end.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "result/finding.h"

namespace fathom::result {

// One number that a cross-check counted over its window. `low` and `high` bound it with `confidence`; equal: exact.
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
  double window_s = 0;              // duration of the count
  std::string rule;                 // how raw counts became the unit: "raw x 16 (pcie_bdf_*, not verified)"
  double raw = 0;                   // the counter's own increments, before the rule
  double unit_bytes = 0;            // per increment, if the rule gives bytes
  bool aliased = false;             // the estimate changes with the slot length
  std::optional<double> lost_at_s;  // when the source vanished
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
  virtual void tick() {}  // called at times during the run (at least once per second)
  virtual WitnessReport end() = 0;
  // True: between begin and end the counted work itself is slowed (tracepoints, counters that are read in turns), not
  // only by the time of tick().
  virtual bool burdens() const { return false; }
  // True: if it cannot begin, this is no shortcoming: many devices have nothing of the kind.
  virtual bool may_have_nothing() const { return false; }
};

}  // namespace fathom::result
