// The numbers of a run as rows, for formats that other programs read. Each number is chosen and named here once, so
// that these formats agree. A number that is not known is absent, never 0. A group_reporting sum is one job; jobs with
// stats=0 have no rows. With --repeat every repetition has its own rows. Names are those of the result: a format
// escapes them. Pure; any thread; no errors.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/rows/quantities.h"
#include "result/result.h"

namespace fathom::report::rows {

// What a number is: a quantity, a statistic of it, or a percentile of it.
struct Label {
  const Quantity* of = nullptr;
  std::string_view statistic = {};         // of a latency: n, min, max, mean, stddev; of findings: a severity
  std::optional<double> percentile = {};   // 0 < percentile <= 100
  std::string_view unit() const;           // of `n` it is `1`
  std::string metric() const;              // "iops", "clat_mean"; of a percentile "clat"
  std::string column() const;              // with its unit: "iops", "bw_bytes_per_s", "clat_ns_mean", "clat_ns_p99.9"
  std::optional<double> quantile() const;  // of a percentile: 0.999
  bool operator==(const Label&) const = default;
};

using Value = std::variant<std::uint64_t, double>;  // a double is finite
std::string value_text(const Value& value);         // the shortest digits that read back as the same number

struct Number {
  Label label;
  Value value;
};
const Number* find(const std::vector<Number>& numbers, const Label& label);  // nullptr: not known

// The percentiles that every latency with a histogram has. Others are those of the job's percentile_list.
inline constexpr std::array<double, 5> kPercentiles = {50, 90, 99, 99.9, 99.99};

struct LatencyRow {
  const Quantity* of;
  result::Latency latency;  // with samples; the histogram may be empty
};

struct DirectionRow {
  std::string_view name;  // read, write, trim; mixed: all of them; sync: fsync and similar calls
  std::vector<Number> numbers;
  std::vector<LatencyRow> latencies;
  std::string_view main_latency;          // name of the latency that a reader needs first
  std::optional<std::uint64_t> begin_ns;  // since JobRows::begin_epoch_ms; nullopt: unknown
  std::uint64_t length_ns = 0;            // from begin to end; 0: unknown
};

struct JobRows {
  std::string name;
  int number = 0;                       // in the run, from 0
  int members = 1;                      // > 1: a sum of this number of jobs
  std::size_t repetition = 0;           // from 1; 0: the run was not repeated
  std::uint64_t reported_epoch_ms = 0;  // end of the jobs of the repetition; 0: unknown
  std::uint64_t begin_epoch_ms = 0;     // begin of the first job of the repetition; 0: unknown
  std::vector<Number> numbers;          // of the job as a whole
  std::vector<DirectionRow> directions;
};

struct RunRows {
  std::string run_id, host;     // empty: unknown
  std::string_view checks;      // passed, not_checked, warnings, failed
  std::vector<Number> numbers;  // of the run as a whole
  std::vector<JobRows> jobs;
};

RunRows rows_of(const result::Run& run);

}  // namespace fathom::report::rows
