// Derives the classes of block sizes from the job's options.
#include "workload/places/size_classes.h"

#include <algorithm>

namespace fathom::workload::places {
namespace {

constexpr std::uint64_t kMostOfARange = 16;

std::vector<SizeClass> of_split(const std::vector<job::BlockSplit>& split) {
  std::vector<SizeClass> classes;
  double total = 0;
  for (const auto& entry : split) total += entry.percent;
  for (const auto& entry : split) {
    if (entry.percent <= 0) continue;
    const auto bytes = static_cast<std::uint32_t>(entry.bytes);
    auto at = std::find_if(classes.begin(), classes.end(), [&](const auto& c) { return c.low_bytes == bytes; });
    if (at == classes.end()) at = classes.insert(classes.end(), {bytes, bytes, 0});
    at->share += entry.percent / total;
  }
  std::sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) { return a.low_bytes < b.low_bytes; });
  if (classes.size() < 2 || classes.size() > kMostSizeClasses) classes.clear();
  return classes;
}

// The sizes that class Sizes selects: the multiples of the smallest, with equal probability, and the largest for the
// remainder (bs_unaligned: any byte).
std::vector<SizeClass> of_range(std::uint64_t min, std::uint64_t max, bool unaligned) {
  const std::uint64_t step = unaligned ? 1 : min;
  const std::uint64_t sizes = (max - min + step - 1) / step + 1;  // the largest size need not be a multiple
  const std::uint64_t count = std::min(sizes, kMostOfARange);
  const double each =
      unaligned ? 1.0 / static_cast<double>(sizes) : static_cast<double>(min) / static_cast<double>(max);
  std::vector<SizeClass> classes;
  double sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t first = sizes * i / count, end = sizes * (i + 1) / count;
    const std::uint64_t low = std::min(min + first * step, max), high = std::min(min + (end - 1) * step, max);
    const double share = i + 1 == count ? 1 - sum : each * static_cast<double>(end - first);
    sum += share;
    classes.push_back({static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high), share});
  }
  return classes;
}

}  // namespace

std::vector<SizeClass> size_classes(const job::Job& job, io::Dir dir) {
  const std::size_t d = io::index(dir);
  const bool used[] = {job.mode.reads, job.mode.writes, job.mode.trims};
  if (!used[d] || job.replays) return {};
  if (!job.bssplit[d].empty()) return of_split(job.bssplit[d]);
  if (job.bs_max[d] <= job.bs_min[d] || job.bs_min[d] == 0) return {};
  return of_range(job.bs_min[d], job.bs_max[d], job.bs_unaligned);
}

}  // namespace fathom::workload::places
