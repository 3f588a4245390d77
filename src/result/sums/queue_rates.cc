// Ratios of counters, and rates of devices.
#include "result/sums/queue_rates.h"

#include <algorithm>

namespace fathom::result {
namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }
double ratio(std::uint64_t part, std::uint64_t whole) {
  return ratio(static_cast<double>(part), static_cast<double>(whole));
}

double per_second(std::uint64_t count, std::uint64_t runtime_ns) { return ratio(count, runtime_ns) * 1e9; }

// The time in which a direction's I/Os completed. verify= reads back after the writes. So a rate that includes the
// read-back uses the time of both.
std::uint64_t time_ns(const Job& job, std::size_t d) {
  const std::uint64_t own = job.dirs[d].runtime_ns;
  return job.read_back_ns == 0 ? own : std::max(own, job.dirs[1].runtime_ns + job.read_back_ns);
}

// Adds a direction's rates, for the device's share of its I/Os.
void add_rates(DeviceRow& row, const Job& job, std::size_t d, std::uint64_t ios) {
  const double iops = per_second(ios, time_ns(job, d));
  row.iops += iops;
  row.bytes_per_s += iops * ratio(job.dirs[d].bytes, job.dirs[d].ios);
}

const stats::Moments& moments(const Direction& dir) {
  return dir.lat.moments_ns.n > 0 ? dir.lat.moments_ns : dir.clat.moments_ns;
}

}  // namespace

bool on_pcie(std::string_view device_name) {
  return !device_name.starts_with("soft") && !device_name.starts_with("vfio-user");
}

QueueRates queue_rates(const QueueStats& queue) {
  QueueRates rates;
  rates.idle_percent = 100 * ratio(queue.idle_ns, queue.idle_ns + queue.busy_ns);
  rates.ios_per_sq_doorbell = ratio(queue.ios, queue.sq_doorbells);
  rates.ios_per_cq_doorbell = ratio(queue.ios, queue.cq_doorbells);
  rates.completions_per_poll = ratio(queue.completions, queue.polls - std::min(queue.polls, queue.idle_polls));
  rates.idle_polls_percent = 100 * ratio(queue.idle_polls, queue.polls);
  rates.busy_ns_per_io = ratio(queue.busy_ns, queue.ios);
  rates.busy_ticks_per_io = rates.busy_ns_per_io * queue.ticks_per_ns;
  rates.device_bound = rates.idle_percent > kIdleDoubtPercent;
  rates.pcie = std::any_of(queue.devices.begin(), queue.devices.end(), [](const auto& d) { return on_pcie(d.name); });
  return rates;
}

DeviceRow total_row(const Job& job) {
  DeviceRow row;
  row.name = "total";
  stats::Moments all;
  for (std::size_t d = 0; d < kDirs; ++d) {
    add_rates(row, job, d, job.dirs[d].ios);
    all.merge(moments(job.dirs[d]));
  }
  row.mean_ns = all.mean();
  row.min_ns = all.min();
  row.max_ns = all.max;
  return row;
}

std::vector<DeviceRow> device_rows(const Job& job) {
  std::vector<DeviceRow> rows;
  if (!job.queue) return rows;
  for (const auto& device : job.queue->devices) {
    const std::uint64_t ios = device.read_ios + device.write_ios + device.trim_ios;
    if (ios == 0) continue;
    DeviceRow row;
    row.name = device.name;
    add_rates(row, job, 0, device.read_ios);
    add_rates(row, job, 1, device.write_ios);
    add_rates(row, job, 2, device.trim_ios);
    row.mean_ns = ratio(device.lat_ns_sum, ios);
    row.min_ns = device.lat_ns_min;
    row.max_ns = device.lat_ns_max;
    rows.push_back(std::move(row));
  }
  if (job.queue->devices.size() != 1) return rows;
  rows = {total_row(job)};
  rows[0].name = job.queue->devices[0].name;
  return rows;
}

DeviceRow sum_of(const std::vector<DeviceRow>& rows) {
  DeviceRow sum;
  sum.name = "total";
  double weighted_ns = 0;
  for (const auto& row : rows) {
    sum.iops += row.iops;
    sum.bytes_per_s += row.bytes_per_s;
    weighted_ns += row.iops * row.mean_ns;
    sum.min_ns = sum.min_ns == 0 ? row.min_ns : std::min(sum.min_ns, row.min_ns == 0 ? sum.min_ns : row.min_ns);
    sum.max_ns = std::max(sum.max_ns, row.max_ns);
  }
  sum.mean_ns = ratio(weighted_ns, sum.iops);
  return sum;
}

}  // namespace fathom::result
