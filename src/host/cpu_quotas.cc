// Reads two or three small files per group.
#include "host/cpu_quotas.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "host/own_groups.h"
#include "host/proc/text_file.h"

namespace fathom::host {
namespace {

constexpr std::uint64_t kNsOfUs = 1000;

struct Limit {
  std::string text;
  double cpus = 0;
};

// "50000 100000", or "max 100000".
std::optional<Limit> second_version(const OwnGroup& group) {
  std::istringstream words(proc::read_text(group.folder + "/cpu.max"));
  double quota_us = 0, period_us = 0;
  if (!(words >> quota_us >> period_us) || quota_us <= 0 || period_us <= 0) return std::nullopt;
  return Limit{fmt::format("cpu.max of {}: {:.0f} {:.0f}", group.path, quota_us, period_us), quota_us / period_us};
}

// -1: no limit.
std::optional<Limit> first_version(const OwnGroup& group) {
  double quota_us = 0, period_us = 0;
  std::istringstream(proc::read_text(group.folder + "/cpu.cfs_quota_us")) >> quota_us;
  std::istringstream(proc::read_text(group.folder + "/cpu.cfs_period_us")) >> period_us;
  if (quota_us <= 0 || period_us <= 0) return std::nullopt;
  return Limit{fmt::format("cpu.cfs_quota_us of {}: {:.0f} in {:.0f}", group.path, quota_us, period_us),
               quota_us / period_us};
}

CpuQuota counted(const OwnGroup& group, Limit limit) {
  CpuQuota quota{std::move(limit.text), limit.cpus};
  std::istringstream lines(proc::read_text(group.folder + "/cpu.stat"));
  std::string key;
  std::uint64_t value = 0;
  while (lines >> key >> value) {
    if (key == "nr_throttled") quota.times = value;
    if (key == "throttled_time") quota.stopped_ns = value;
    if (key == "throttled_usec") quota.stopped_ns = value * kNsOfUs;
  }
  return quota;
}

}  // namespace

std::vector<CpuQuota> cpu_quotas(const std::vector<std::string>& further, const std::string& prefix) {
  std::vector<CpuQuota> out;
  for (const auto& group : own_groups("cpu", further, prefix))
    if (auto limit = group.second ? second_version(group) : first_version(group))
      out.push_back(counted(group, std::move(*limit)));
  return out;
}

std::vector<CpuQuota> added(const std::vector<CpuQuota>& before, std::vector<CpuQuota> after) {
  for (auto& quota : after) {
    const auto same =
        std::find_if(before.begin(), before.end(), [&](const auto& known) { return known.limit == quota.limit; });
    if (same == before.end()) continue;
    quota.times -= std::min(same->times, quota.times);
    quota.stopped_ns -= std::min(same->stopped_ns, quota.stopped_ns);
  }
  return after;
}

}  // namespace fathom::host
