// Values that follow from a result of `fathom paging` and are not stored: sums over classes and directions, shares of
// accesses and of time, pmbench's averages, the device's part of a major fault. All formats print these, so one place
// computes them. Pure.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "result/paging.h"
#include "stats/pmbench_bins.h"

namespace fathom::result {

AccessLatency of_dir(const AccessLatencies& latency, AccessDir dir);
AccessLatency of_class(const AccessLatencies& latency, AccessClass c);
AccessLatency of_all(const AccessLatencies& latency);

// Never above the maximum nor below the minimum; 0 without a histogram.
double percentile_ns(const AccessLatency& latency, double p);

// Whether reads, or writes, were requested; a trace has both.
bool asked_for(const Paging& paging, AccessDir dir);
// Measuring threads of all processes; if only the table is left: the requested number.
std::size_t jobs(const Paging& paging);
// Whole percent; for a trace: the achieved share.
int whole_read_percent(const Paging& paging);

// Accesses of all threads, with or without timestamps.
std::uint64_t accesses(const Paging& paging);
// The same for one direction. With timestamps: the accesses in the histograms.
std::uint64_t accesses(const Paging& paging, AccessDir dir);

// For a row of Table 2. Wide: the interval itself is clearer than a mean and a half width.
inline double half_width(const PagingRow& row) { return (row.high - row.low) / 2; }
inline bool is_wide(const PagingRow& row) { return row.low > 0 && half_width(row) > row.mean / 3; }

inline double percent_of(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

// Number of accesses that took at least threshold_ns, and their share of the time of all accesses. This is the paper's
// reading ("33 % of total execution time is spent on faults taking longer than 100 us"). From whole buckets: within 0.8
// %.
struct LongAccesses {
  std::uint64_t threshold_ns = 0, count = 0;
  double time_ns = 0;  // of these accesses
  double count_percent = 0, time_percent = 0;
};
inline constexpr std::array<std::uint64_t, 6> kThresholdsNs = {1'000,     10'000,     100'000,
                                                               1'000'000, 10'000'000, 100'000'000};
std::vector<LongAccesses> long_accesses(const AccessLatency& latency);

// pmbench's numbers of one thread: total time per access, also without the cost of making an address.
struct PmbenchThread {
  double latency_us = 0, overhead_us = 0, net_us = 0, warmup_us = 0;
  std::int64_t latency_clk = 0, overhead_clk = 0, net_clk = 0, warmup_clk = 0;
  std::uint64_t samples = 0;
};
PmbenchThread pmbench_thread(const Paging& paging, const PagingThread& thread);
std::uint64_t freq_khz(const Paging& paging);

// Below this, pmbench's files only count accesses: an imported run has no latencies below it.
inline constexpr double kFirstBin_ns = 256;
// A major fault compared with a read on the device that served it. With several devices: the mean, weighted by the
// reads that each served. Absent without major faults, without device reads, and if several devices were not timed
// alike: the reads that each served are then unknown.
struct DeviceShare {
  double device_mean_ns = 0, device_p50_ns = 0, major_mean_ns = 0;
  stats::PmbenchPeak major_peak;
  double overhead_ns = 0, overhead_percent = 0;  // difference of the means; percent of the device's mean
};
std::optional<DeviceShare> device_share(const Paging& paging);

// This device's percentage of the bytes read from all devices. Absent unless several devices served reads and the
// requests of all were timed.
std::optional<double> served_percent(const Paging& paging, const DeviceTime& device);

}  // namespace fathom::result
