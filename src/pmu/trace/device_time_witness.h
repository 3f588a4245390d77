// Measures a block device's own time for its requests while something else is measured, as a histogram: the time from
// block_rq_issue to block_rq_complete, or, on devices without requests (zram), from block_bio_queue to
// block_bio_complete. BPF programs add it up (programs/device_time.h). Which requests: for a swap file or a partition,
// those within it, by any submitter (its extents do not move while it is swapped to); I/O of other processes elsewhere
// on the disk is counted and omitted. If the machine has few I/Os, tracing is continuous, otherwise in slices
// (programs/slice_thread.h); seen_share has the traced share. docs/dev/performance.md has the cost per traced request.
// A kernel that passes pages to zram without bios (rw_page, up to Linux 6.2) shows no read; DeviceTime::cause then
// explains this.
// Errors of begin(): no programs (no permission, no BTF, no libbpf, built without them), no such device, a file that
// cannot be mapped to its disk.
// Thread rule: as result::Witness.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "host/placement/placement.h"
#include "result/paging.h"
#include "result/witness.h"
#include "stats/paired_slices.h"

namespace fathom::pmu::trace::programs {
struct DeviceSums;
class Sliced;
}  // namespace fathom::pmu::trace::programs

namespace fathom::pmu::trace {

class DeviceTimeWitness : public result::Witness {
 public:
  // device: "vda", "zram0". area: the swap file or partition on it; without a path: the whole device.
  explicit DeviceTimeWitness(std::string device, host::placement::Placement area = {});
  ~DeviceTimeWitness() override;
  // Call this before begin(). The listener receives each moment of a slice, on the thread of the slices. Continuous
  // tracing has only one slice.
  void tell(std::function<void(stats::SliceMoment)> listener) { listener_ = std::move(listener); }
  std::string name() const override;
  base::Expected<void> begin() override;
  result::WitnessReport end() override;  // counts: source "device_time", subject the device, by direction: ios, bytes
  const result::DeviceTime& device_time() const { return time_; }  // after end(); before: why begin() failed
  // The same timing, for a caller that switches it on and off; its times are discarded. Errors: as begin().
  static base::Expected<std::unique_ptr<programs::Sliced>> toggle(std::string device, host::placement::Placement area);

 private:
  class Watched;
  base::Expected<void> load();
  base::Expected<void> prepare();
  void take_the_rest(const programs::DeviceSums& sums, double window_s, result::WitnessReport& report);
  host::placement::Placement area_;
  std::unique_ptr<Watched> watched_;
  bool begun_ = false;
  std::function<void(stats::SliceMoment)> listener_;  // empty: no listener
  result::DeviceTime time_;
};

}  // namespace fathom::pmu::trace
