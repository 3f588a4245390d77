// What a block device itself takes for its requests while something else is measured, as a histogram: the time from
// block_rq_issue to block_rq_complete, or, on devices that have no requests (zram), from block_bio_queue to
// block_bio_complete. The kernel's programs add it up (programs/device_time.h). Whose requests: of a swap file or a partition, those that lie
// within it (its extents do not move while it is swapped to), whoever submitted them; what others do elsewhere on the
// disk is counted and left out. Where the machine's I/Os are few it looks all the time, else in slices
// (programs/slice_thread.h): seen_share says how much. What it costs each request while it looks is in
// docs/dev/performance.md. A kernel that hands pages to zram past the bios (rw_page, up to Linux 6.2) shows no read:
// DeviceTime::cause says so. Errors of begin(): no programs (no permission, no BTF, no libbpf, built without them), no
// such device, a file that cannot be followed to its disk. Thread rule: as result::Witness.
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
  // device: "vda", "zram0". area: the swap file or partition on it; one without a path: the whole device.
  explicit DeviceTimeWitness(std::string device, host::placement::Placement area = {});
  ~DeviceTimeWitness() override;
  // Before begin(): who is told each moment of a slice, on the thread of the slices. Where it looks all the time there is
  // but one.
  void tell(std::function<void(stats::SliceMoment)> listener) { listener_ = std::move(listener); }
  std::string name() const override;
  base::Expected<void> begin() override;
  result::WitnessReport end() override;  // counts: source "device_time", subject the device, by direction: ios, bytes
  const result::DeviceTime& device_time() const { return time_; }  // after end(); before: why begin() failed
  // The same timing as something that another switches on and off; what it times is nobody's. Errors: as begin().
  static base::Expected<std::unique_ptr<programs::Sliced>> toggle(std::string device, host::placement::Placement area);

 private:
  class Watched;
  base::Expected<void> load();
  base::Expected<void> prepare();
  void take_the_rest(const programs::DeviceSums& sums, double window_s, result::WitnessReport& report);
  host::placement::Placement area_;
  std::unique_ptr<Watched> watched_;
  bool begun_ = false;
  std::function<void(stats::SliceMoment)> listener_;  // empty: nobody
  result::DeviceTime time_;
};

}  // namespace fathom::pmu::trace
