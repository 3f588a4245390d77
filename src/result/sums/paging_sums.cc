// Sums are exact, because moments and histograms add up. Only the shares by threshold depend on bucket sizes.
#include "result/sums/paging_sums.h"

#include <algorithm>
#include <cmath>

#include "stats/percentiles.h"

namespace fathom::result {
namespace {

void add(AccessLatency& to, const AccessLatency& from) {
  to.moments_ns.merge(from.moments_ns);
  to.histogram_ns.merge(from.histogram_ns);
}

std::vector<const DeviceTime*> serving_devices(const Paging& paging) {
  std::vector<const DeviceTime*> serving;
  for (const auto& device : paging.devices)
    if (device.read_ns.moments_ns.n > 0) serving.push_back(&device);
  return serving;
}

bool is_share(double x) { return x > 0 && x <= 1; }  // an imported file may have any value

// The number of direct reads depends on the available time. It does not show which device served which faults.
bool all_by_requests(const std::vector<const DeviceTime*>& devices) {
  return std::all_of(devices.begin(), devices.end(),
                     [](const auto* d) { return d->by != "direct reads" && is_share(d->seen_share); });
}

// The number of requests in the whole time. With sampling, only a share of the time was traced.
double requests_served(const DeviceTime& device) {
  const auto n = static_cast<double>(device.read_ns.moments_ns.n);
  return is_share(device.seen_share) ? n / device.seen_share : n;
}

double us_each(double ns, std::uint64_t n) { return n == 0 ? 0 : ns / static_cast<double>(n) / 1e3; }

}  // namespace

AccessLatency of_dir(const AccessLatencies& latency, AccessDir dir) {
  AccessLatency sum;
  for (const auto& c : latency) add(sum, c[static_cast<std::size_t>(dir)]);
  return sum;
}

AccessLatency of_class(const AccessLatencies& latency, AccessClass c) {
  AccessLatency sum;
  for (const auto& dir : latency[static_cast<std::size_t>(c)]) add(sum, dir);
  return sum;
}

AccessLatency of_all(const AccessLatencies& latency) {
  AccessLatency sum = of_dir(latency, AccessDir::read);
  add(sum, of_dir(latency, AccessDir::write));
  return sum;
}

double percentile_ns(const AccessLatency& latency, double p) {
  return static_cast<double>(stats::percentile_within(latency.histogram_ns, latency.moments_ns, p));
}

std::uint64_t accesses(const Paging& paging) {
  return accesses(paging, AccessDir::read) + accesses(paging, AccessDir::write);
}

std::uint64_t accesses(const Paging& paging, AccessDir dir) {
  std::uint64_t stamped = 0, made = 0;
  for (const auto& c : paging.latency) stamped += c[static_cast<std::size_t>(dir)].moments_ns.n;
  for (const auto& worker : paging.workers) made += worker.accesses[static_cast<std::size_t>(dir)];
  return stamped > 0 ? stamped : made;
}

bool asked_for(const Paging& paging, AccessDir dir) {
  if (paging.read_percent < 0) return true;
  return dir == AccessDir::read ? paging.read_percent > 0 : paging.read_percent < 100;
}

std::size_t jobs(const Paging& paging) {
  if (!paging.workers.empty()) return paging.workers.size();
  return static_cast<std::size_t>(std::max(1, paging.threads)) *
         static_cast<std::size_t>(std::max(1, paging.processes));
}

int whole_read_percent(const Paging& paging) {
  if (paging.read_percent >= 0) return static_cast<int>(std::lround(paging.read_percent));
  return static_cast<int>(std::lround(
      percent_of(static_cast<double>(accesses(paging, AccessDir::read)), static_cast<double>(accesses(paging)))));
}

std::vector<LongAccesses> long_accesses(const AccessLatency& latency) {
  double whole_ns = 0;
  std::vector<LongAccesses> rows;
  rows.reserve(std::size(kThresholdsNs));
  for (const auto threshold : kThresholdsNs) rows.push_back({threshold, 0, 0, 0, 0});
  for (const auto& bin : latency.histogram_ns.bins()) {
    const std::uint64_t value = stats::bucket_value(bin.bucket);
    const double time = static_cast<double>(value) * static_cast<double>(bin.count);
    whole_ns += time;
    for (auto& row : rows) {
      if (value < row.threshold_ns) break;
      row.count += bin.count;
      row.time_ns += time;
    }
  }
  for (auto& row : rows) {
    row.count_percent = percent_of(static_cast<double>(row.count), static_cast<double>(latency.histogram_ns.total()));
    row.time_percent = percent_of(row.time_ns, whole_ns);
  }
  return rows;
}

std::uint64_t freq_khz(const Paging& paging) {
  return static_cast<std::uint64_t>(std::llround(std::max(0.0, paging.clock.ticks_per_second) / 1e3));
}

PmbenchThread pmbench_thread(const Paging& paging, const PagingThread& thread) {
  PmbenchThread t;
  t.samples = thread.accesses[0] + thread.accesses[1];
  t.latency_us = us_each(static_cast<double>(thread.wall_ns), t.samples);
  t.overhead_us = std::clamp(thread.overhead_ns / 1e3, -1e30, 1e30);  // an imported file may have any value
  t.net_us = t.samples == 0 ? 0 : static_cast<float>(t.latency_us - t.overhead_us);  // pmbench stores a float
  t.warmup_us = us_each(static_cast<double>(thread.warmup_ns), thread.warmup_accesses);
  const double ticks_a_us = static_cast<double>(freq_khz(paging)) / 1e3;
  const auto ticks = [&](double us) { return static_cast<std::int64_t>(std::clamp(us * ticks_a_us, -9e18, 9e18)); };
  t.latency_clk = ticks(t.latency_us);
  t.overhead_clk = ticks(t.overhead_us);
  t.net_clk = ticks(t.net_us);
  t.warmup_clk = ticks(t.warmup_us);
  return t;
}

std::optional<DeviceShare> device_share(const Paging& paging) {
  const auto majors = of_class(paging.latency, AccessClass::major);
  const auto serving = serving_devices(paging);
  if (majors.moments_ns.n == 0 || serving.empty()) return std::nullopt;
  const bool several = paging.devices.size() > 1;
  const bool all_seen = std::none_of(paging.devices.begin(), paging.devices.end(),
                                     [](const DeviceTime& device) { return device.by.empty(); });
  if (several && (!all_seen || !all_by_requests(serving))) return std::nullopt;
  AccessLatency reads;
  double n = 0, sum_ns = 0;
  for (const auto* device : serving) {
    add(reads, device->read_ns);
    const double served = requests_served(*device);
    n += served;
    sum_ns += served * device->read_ns.moments_ns.mean();
  }
  DeviceShare share;
  share.device_mean_ns = sum_ns / n;
  share.device_p50_ns = percentile_ns(reads, 50);
  share.major_mean_ns = majors.moments_ns.mean();
  share.major_peak = stats::pmbench_peak(stats::pmbench_view(majors.histogram_ns));
  share.overhead_ns = share.major_mean_ns - share.device_mean_ns;
  share.overhead_percent = percent_of(share.overhead_ns, share.device_mean_ns);
  return share;
}

std::optional<double> served_percent(const Paging& paging, const DeviceTime& device) {
  const auto serving = serving_devices(paging);
  if (serving.size() < 2 || !all_by_requests(serving) || device.read_ns.moments_ns.n == 0) return std::nullopt;
  double all = 0;
  for (const auto* one : serving) all += static_cast<double>(one->read_bytes) / one->seen_share;
  return percent_of(static_cast<double>(device.read_bytes) / device.seen_share, all);
}

}  // namespace fathom::result
