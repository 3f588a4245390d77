// The paper's Table 2 (Yang and Seymour, section 4.2), a configuration's column: 1 mean latency of all accesses, 2 the
// middle of the fullest of pmbench's bins among major faults, 3 mean of all major faults, 4 that less the media's, 5
// row 4 in percent of the media's. Media: the device's own mean read time of the same repetition, of the swap that the
// column is about: others may be active, and their reads are not what a fault of ours waited for. The paper's latencies
// are those that were measured; what pmbench prints as netavg holds its own code too.
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

// Without stamps (--access=touch): wall time an access and thread.
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

// Devices and swaps are in the same order: the second device of a name belongs to the second swap on that disk.
const result::PagingSwap* swap_of(const result::Paging& paging, std::size_t device) {
  const auto& name = paging.devices[device].device;
  auto before = std::count_if(paging.devices.begin(), paging.devices.begin() + static_cast<std::ptrdiff_t>(device),
                              [&](const auto& d) { return d.device == name; });
  for (const auto& swap : paging.pressure.swaps)
    if (swap.disk == name && before-- == 0) return &swap;
  return nullptr;
}

// With a swap of the run's own only that; with the machine's (--swap=current) all of them.
bool is_media(const result::Paging& paging, std::size_t device) {
  const auto& swaps = paging.pressure.swaps;
  const auto own = [](const result::PagingSwap& s) { return s.kind != "current"; };
  if (std::none_of(swaps.begin(), swaps.end(), own)) return true;
  const auto* const swap = swap_of(paging, device);
  return swap != nullptr && own(*swap);
}

// All reads of its swap devices that were timed the same way.
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

// The first three rows are times, the others what one time has over another.
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
  std::vector<std::string> devices;  // a zram may have another number in each repetition
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
