// What follows from a result of `fathom paging` and is not stored: sums over classes and directions, shares
// of accesses and of time, pmbench's averages, the device's part of a major fault. All formats print these, so they are
// computed in one place. Pure.
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

// Whether reads, or writes, were asked for; a trace has both.
bool asked_for(const Paging& paging, AccessDir dir);
// Threads that measured, of all processes; where only the table is left, those that were asked for.
std::size_t jobs(const Paging& paging);
// Whole percent: a trace's as they were made.
int whole_read_percent(const Paging& paging);

// Made by all threads, stamped or not.
std::uint64_t accesses(const Paging& paging);
// Of all threads by direction. With stamps, those of the histograms.
std::uint64_t accesses(const Paging& paging, AccessDir dir);

// Of a row of Table 2. Wide: a mean and something to either side would say less of it than the interval itself.
inline double half_width(const PagingRow& row) { return (row.high - row.low) / 2; }
inline bool is_wide(const PagingRow& row) { return row.low > 0 && half_width(row) > row.mean / 3; }

inline double percent_of(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

// How many accesses took at least so long, and what of the time of all accesses they took: the paper's reading ("33 %
// of total execution time is spent on faults taking longer than 100 us"). From whole buckets: within 0.8 %.
struct LongAccesses {
  std::uint64_t threshold_ns = 0, count = 0;
  double time_ns = 0;  // of these
  double count_percent = 0, time_percent = 0;
};
inline constexpr std::array<std::uint64_t, 6> kThresholdsNs = {1'000,     10'000,     100'000,
                                                               1'000'000, 10'000'000, 100'000'000};
std::vector<LongAccesses> long_accesses(const AccessLatency& latency);

// pmbench's numbers of one thread: whole time over accesses, and without what it costs to make an address.
struct PmbenchThread {
  double latency_us = 0, overhead_us = 0, net_us = 0, warmup_us = 0;
  std::int64_t latency_clk = 0, overhead_clk = 0, net_clk = 0, warmup_clk = 0;
  std::uint64_t samples = 0;
};
PmbenchThread pmbench_thread(const Paging& paging, const PagingThread& thread);
std::uint64_t freq_khz(const Paging& paging);

// pmbench's files say of accesses below this only that they were: no latency below it is known of an imported run.
inline constexpr double kFirstBin_ns = 256;
// A major fault beside what a read took of the device that served it: of several, the mean over what each served.
// Absent without majors, without device reads, and where several devices were not timed alike, so that what each served
// is not known.
struct DeviceShare {
  double device_mean_ns = 0, device_p50_ns = 0, major_mean_ns = 0;
  stats::PmbenchPeak major_peak;
  double overhead_ns = 0, overhead_percent = 0;  // of the means; percent of the device's
};
std::optional<DeviceShare> device_share(const Paging& paging);

// Of the bytes that were read of all devices, this one's percentage; absent unless several served and all were timed by
// their requests.
std::optional<double> served_percent(const Paging& paging, const DeviceTime& device);

}  // namespace fathom::result
