// Subtracts the previous hour's totals from the totals so far.
#include "audit/act_hours.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::audit {
namespace {

struct Limit {
  std::uint64_t ns;
  double percent;
};
constexpr Limit kLimits[kActLimits] = {{1'000'000, 5}, {8'000'000, 1}, {64'000'000, 0.1}};
constexpr std::string_view kReads = "act-read-";

std::uint64_t longest_runtime_ns(const result::Run& run) {
  std::uint64_t ns = 0;
  for (const auto& job : run.jobs)
    if (job.name.starts_with(kReads)) ns = std::max(ns, job.dirs[0].runtime_ns);
  return ns;
}

}  // namespace

ActCounts act_counts(const stats::Histogram& lat_ns) {
  ActCounts counts{lat_ns.total(), {}};
  for (std::size_t i = 0; i < kActLimits; ++i) counts.late[i] = counts.reads - lat_ns.count_up_to(kLimits[i].ns);
  return counts;
}

std::array<double, kActLimits> act_late_percent(const ActCounts& before, const ActCounts& now) {
  std::array<double, kActLimits> percent{};
  const auto reads = static_cast<double>(now.reads - before.reads);
  for (std::size_t i = 0; i < kActLimits && reads > 0; ++i)
    percent[i] = 100 * static_cast<double>(now.late[i] - before.late[i]) / reads;
  return percent;
}

bool act_passes(const std::array<double, kActLimits>& late_percent) {
  for (std::size_t i = 0; i < kActLimits; ++i)
    if (late_percent[i] >= kLimits[i].percent) return false;
  return true;
}

void ActHours::add(const result::Run& run) {
  ++hours_;
  for (const auto& job : run.jobs) {
    if (!job.name.starts_with(kReads)) continue;
    auto device = std::find_if(devices_.begin(), devices_.end(), [&](const auto& d) { return d.name == job.name; });
    if (device == devices_.end()) device = devices_.insert(device, {job.name, {}});
    const auto now = act_counts(job.dirs[0].lat.histogram_ns);
    if (now.reads == device->before.reads) continue;
    const auto late = act_late_percent(device->before, now);
    device->before = now;
    passed_ = passed_ && act_passes(late);
    lines_ += fmt::format("act: {}, hour {}: > 1 ms {:.2f}%, > 8 ms {:.2f}%, > 64 ms {:.2f}%\n",
                          job.name.substr(kReads.size()), hours_, late[0], late[1], late[2]);
  }
}

bool ActHours::hour_over(const result::Run& so_far) {
  if (longest_runtime_ns(so_far) < (hours_ + 1) * kActHourNs) return false;
  add(so_far);
  return true;
}

void ActHours::end(const result::Run& run) { add(run); }

std::string ActHours::text() const {
  if (lines_.empty()) return {};
  return lines_ + fmt::format("act: test complete, device(s): {}\n", passed_ ? "PASSED" : "FAILED");
}

}  // namespace fathom::audit
