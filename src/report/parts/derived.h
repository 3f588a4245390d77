// Values that a report computes from a result and does not store: rates, shares, sums over directions. Both fio's text
// and its JSON print these, so one place computes them. Pure functions; rates are over the direction's own run time.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "report/parts/numbers.h"
#include "result/result.h"

namespace fathom::report::parts {

inline constexpr std::array<std::string_view, result::kDirs> kDirNames = {"read", "write", "trim"};

Figures figures_of(const result::Job& job);
bool used(const result::Direction& dir);
std::uint64_t bytes_per_s(const result::Direction& dir);  // as in fio: whole bytes over whole milliseconds
double ios_per_s(const result::Direction& dir);

// All directions as one, for unified_rw_reporting. Its samples are computed from the points of the series.
result::Direction mixed(const result::Job& job);
// unified_rw_reporting=mixed: only the sum is shown.
inline bool only_mixed(const result::Job& job) { return job.unified && !job.reporting.both; }
// The group's directions as one: its rates range from the slowest job's to the fastest's.
result::GroupDirection mixed_group(const result::Run& run, const result::Group& group);
double mean_of(const std::vector<double>& values);  // 0 for an empty list
// As in fio: for a job that continued after failed I/Os and ended well, the error of the first one.
int fio_error(const result::Job& job);
std::uint64_t issued_total(const result::Job& job);

// The mean bandwidth sample as a share of its group's bandwidth, at most 100 %.
double share_of_group_percent(const result::Run& run, const result::Job& job, std::size_t dir);
double mixed_share_of_group_percent(const result::Run& run, const result::Job& job);

// fio's coarse latency distribution: percent of I/Os below each label and not below the one before. Shares under 0.01 %
// that are not zero show as 0.01. Computed from clat (fio's choice), or from lat if clat was off.
inline constexpr std::array<unsigned, 10> kNsLabels = {2, 4, 10, 20, 50, 100, 250, 500, 750, 1000};
inline constexpr std::array<unsigned, 10> kUsLabels = kNsLabels;
inline constexpr std::array<unsigned, 11> kMsLabels = {2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000};  // and >=2000
struct LatencyShares {
  std::array<double, 10> ns{}, us{};
  std::array<double, 12> ms{};
};
LatencyShares latency_shares(const result::Job& job);

// Counts as percent of `total`; a share under 0.1 % that is not zero shows as 0.1.
std::array<double, 7> depth_shares(const std::array<std::uint64_t, 7>& counts, std::uint64_t total);
inline constexpr std::array<std::string_view, 7> kLevelLabels = {"1", "2", "4", "8", "16", "32", ">=64"};
inline constexpr std::array<std::string_view, 7> kBatchLabels = {"0", "4", "8", "16", "32", "64", ">=64"};

// Whether there are enough repetitions for an interval; otherwise low and high are the smallest and the largest value.
bool has_interval(const result::RepeatedMetric& metric);
bool has_interval(const result::PagingRow& row);

// block_error_percentiles: trims of the block at that percentile, by nearest rank; and block counts by fio's names.
std::uint64_t trims_at(const result::BlockLifetimes& lifetimes, double percentile);
std::array<std::pair<std::string_view, std::uint64_t>, 5> block_states(const result::BlockLifetimes& lifetimes);

}  // namespace fathom::report::parts
