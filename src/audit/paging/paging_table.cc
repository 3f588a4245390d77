// Table 2 of the paper (Yang and Seymour, section 4.2), one configuration per column. Row 1 is the mean latency of all
// accesses. Row 2 is the middle of the pmbench bin with the most major faults. Row 3 is the mean of all major faults.
// Row 4 is row 3 minus the device latency. Row 5 is row 4 in percent of the device latency. Device latency is the mean
// read time of the column's swap device in the same repetition. Other swap devices may be active, but this column's
// faults did not wait for their reads. The paper's latencies are the measured ones; pmbench's netavg also includes the
// time of pmbench's own code.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "audit/paging/paging_checks.h"
#include "stats/pmbench_bins.h"
#include "stats/repeat.h"

namespace fathom::audit::paging {
namespace {

result::AccessLatency sum_of(const result::Paging& paging, std::size_t from_class) {
  result::AccessLatency sum;
  for (std::size_t k = from_class; k < result::kAccessClasses; ++k)
    for (const auto& one : paging.latency[k]) {
      sum.moments_ns.merge(one.moments_ns);
      sum.histogram_ns.merge(one.histogram_ns);
    }
  return sum;
}

// Without timestamps (--access=touch): wall time per access and thread.
double touch_ns(const result::Paging& paging) {
  double wall_ns = 0, own_ns = 0, accesses = 0;
  for (const auto& w : paging.workers) {
    const double n = static_cast<double>(w.accesses[0] + w.accesses[1]);
    wall_ns += static_cast<double>(w.wall_ns);
    own_ns += n * w.overhead_ns;
    accesses += n;
  }
  return accesses > 0 ? (wall_ns - own_ns) / accesses : 0;
}

// Devices and swap devices are in the same order: the second device with a name belongs to the second swap on that
// disk.
const result::PagingSwap* swap_of(const result::Paging& paging, std::size_t device) {
  const auto& name = paging.devices[device].device;
  auto before = std::count_if(paging.devices.begin(), paging.devices.begin() + static_cast<std::ptrdiff_t>(device),
                              [&](const auto& d) { return d.device == name; });
  for (const auto& swap : paging.pressure.swaps)
    if (swap.disk == name && before-- == 0) return &swap;
  return nullptr;
}

// If the run has its own swap device, only that one; otherwise (--swap=current) all of the machine's.
bool is_media(const result::Paging& paging, std::size_t device) {
  const auto& swaps = paging.pressure.swaps;
  const auto own = [](const result::PagingSwap& s) { return s.kind != "current"; };
  if (std::none_of(swaps.begin(), swaps.end(), own)) return true;
  const auto* const swap = swap_of(paging, device);
  return swap != nullptr && own(*swap);
}

// All reads of these swap devices that were timed with the same method.
struct Media {
  stats::Moments ns;
  std::vector<std::string> devices;  // "bios of zram2"
};

Media media_of(const result::Paging& paging) {
  Media media;
  for (const bool direct : {false, true}) {
    for (std::size_t i = 0; i < paging.devices.size(); ++i) {
      const auto& d = paging.devices[i];
      if ((d.by == "direct reads") != direct || d.read_ns.moments_ns.n == 0 || !is_media(paging, i)) continue;
      media.ns.merge(d.read_ns.moments_ns);
      media.devices.push_back(d.by + " of " + d.device);
    }
    if (media.ns.n > 0) break;
  }
  return media;
}

// The first three rows are times, the others are differences of times.
void finish(result::PagingRow& row, bool difference) {
  const auto summary = difference ? stats::summarize_differences(row.values) : stats::summarize(row.values);
  row.mean = summary.mean;
  row.low = summary.ci95_low;
  row.high = summary.ci95_high;
}

}  // namespace

result::PagingTableColumn table2_column(const std::string& name, std::span<const result::Paging> repetitions) {
  result::PagingTableColumn column;
  column.name = name;
  std::vector<double> media_ns;
  std::uint64_t media_reads = 0;
  std::vector<std::string> devices;  // the number of a zram device may differ between repetitions
  for (const auto& paging : repetitions) {
    const auto all = sum_of(paging, 0), major = sum_of(paging, static_cast<std::size_t>(result::AccessClass::major));
    auto& rows = column.rows;
    rows[0].values.push_back(all.moments_ns.n > 0 ? all.moments_ns.mean() : touch_ns(paging));
    if (major.moments_ns.n == 0) continue;
    const auto peak = stats::pmbench_peak(stats::pmbench_view(major.histogram_ns));
    rows[1].values.push_back(static_cast<double>(peak.begin_ns + peak.end_ns) / 2);
    rows[2].values.push_back(major.moments_ns.mean());
    const auto media = media_of(paging);
    if (media.ns.n == 0) continue;
    const double own_ns = media.ns.mean();
    rows[3].values.push_back(major.moments_ns.mean() - own_ns);
    rows[4].values.push_back(100 * (major.moments_ns.mean() - own_ns) / own_ns);
    media_ns.push_back(own_ns);
    media_reads += media.ns.n;
    for (const auto& device : media.devices)
      if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
  }
  for (std::size_t i = 0; i < column.rows.size(); ++i) finish(column.rows[i], i >= 3);
  column.media_ns = stats::summarize(media_ns).mean;
  column.media = media_ns.empty() ? "not known: no read of a swap device was timed"
                                  : fmt::format("{}: mean of {} reads", fmt::join(devices, ", "), media_reads);
  return column;
}

}  // namespace fathom::audit::paging
