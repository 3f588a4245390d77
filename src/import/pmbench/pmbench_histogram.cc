// Histograms by direction, summed over threads. Nine buckets of each have index 0, so only its interval of log2 ns
// identifies a bucket. A sample counts as the middle of its bin.
#include <fmt/format.h>

#include <limits>

#include "import/pmbench/pmbench_parts.h"
#include "stats/pmbench_bins.h"

namespace fathom::import::pmbench {
namespace {

// The sixteen bins of a bucket, by their index. Their sum must be that of the bucket.
void read_bins(XmlReader& in, pugi::xml_node bucket, std::array<std::uint64_t, stats::kPmbenchBinsAnOctave>& bins) {
  const auto hexes = in.need(bucket, "bucket_hexes");
  std::uint64_t sum = 0;
  for (const auto hex : hexes.children("hex")) {
    const auto index = to_count(hex.attribute("index").value());
    const auto count = to_count(hex.child_value());
    if (!index || *index >= bins.size() || !count)
      return in.fail(hex, "a <hex> without an index of 0 to 15 or a count", "a bin of a latency bucket");
    bins[*index] = *count;
  }
  for (const auto count : bins) sum += count;
  if (sum != in.count(bucket, "sum_count"))
    in.fail(bucket, fmt::format("the bins of the bucket add up to {}, not to its sum_count", sum), "a damaged file");
}

void read_bucket(XmlReader& in, pugi::xml_node bucket, stats::PmbenchBins& bins) {
  constexpr std::uint64_t kFirst = 8, kHigh = kFirst + stats::kPmbenchOctaves;
  const auto interval = in.need(bucket, "bucket_interval");
  const auto low = in.count(interval, "interval_lo"), high = in.count(interval, "interval_hi");
  if (in.failed()) return;
  const bool last = low == kHigh + stats::kPmbenchHighBins - 1;
  if (low == 0 && high == kFirst) {
    bins.below_256_ns = in.count(bucket, "sum_count");
  } else if (low >= kFirst && low < kHigh && high == low + 1) {
    read_bins(in, bucket, bins.octaves[low - kFirst]);
  } else if (low >= kHigh && low < kHigh + stats::kPmbenchHighBins && high == (last ? 32 : low + 1)) {
    bins.high[low - kHigh] = in.count(bucket, "sum_count");
  } else {
    in.fail(interval, fmt::format("no bucket of pmbench's is [2^{}, 2^{}) ns", low, high), "another geometry");
  }
}

result::AccessLatency latency_of(const stats::PmbenchBins& bins) {
  result::AccessLatency latency;
  stats::for_each_pmbench_bin(bins, [&](const stats::PmbenchPeak& bin) {
    if (bin.count == 0) return;
    const auto middle = (bin.begin_ns + bin.end_ns) / 2;
    latency.moments_ns.add_many(middle, bin.count);
    latency.histogram_ns.add(middle, bin.count);
  });
  return latency;
}

// The file's histograms cover all threads. So each thread's accesses are split into reads and writes like the total.
void split_accesses(result::Paging& paging, double reads, double writes) {
  const double share = reads + writes > 0 ? reads / (reads + writes) : paging.read_percent / 100.0;
  for (auto& worker : paging.workers) {
    const auto samples = worker.accesses[0];
    const double wanted = share * static_cast<double>(samples) + 0.5;
    const auto read = wanted >= static_cast<double>(samples) ? samples : static_cast<std::uint64_t>(wanted);
    worker.accesses[0] = read;
    worker.accesses[1] = samples - read;
  }
}

}  // namespace

void read_statistics(XmlReader& in, pugi::xml_node report, result::Run& run) {
  auto& paging = *run.paging;
  double totals[result::kAccessDirs] = {};
  for (std::size_t d = 0; d < result::kAccessDirs; ++d) {
    const auto* type = name(static_cast<result::AccessDir>(d));
    const auto histogram = report.child("statistics").find_child_by_attribute("histogram", "type", type);
    stats::PmbenchBins bins;
    for (const auto bucket : histogram.children("histo_bucket")) read_bucket(in, bucket, bins);
    auto& latency = paging.latency[static_cast<std::size_t>(result::AccessClass::hit)][d];
    latency = latency_of(bins);
    totals[d] = static_cast<double>(latency.moments_ns.n);
  }
  split_accesses(paging, totals[0], totals[1]);
}

}  // namespace fathom::import::pmbench
