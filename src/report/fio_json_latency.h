// Latency objects of the JSON: fio's, and fathom's with the unit in every key.
#pragma once
#include <span>
#include <string_view>

#include "report/json_writer.h"
#include "result/result.h"

namespace fathom::report {

// fio's: min, max, mean, stddev, N; "percentile" where wanted and there are samples; "bins" beside it in json+.
struct LatencyDetail {
  std::span<const double> percentile_list;
  bool percentiles = false;
  bool bins = false;
};
void write_fio_latency(JsonWriter& w, std::string_view key, const result::Latency& latency,
                       const LatencyDetail& detail);

// fathom's: n, min_ns, max_ns, mean_ns, stddev_ns, percentiles_ns, and histogram_ns where `bins` says so. Absent
// without samples.
void write_latency_ns(JsonWriter& w, std::string_view key, const result::Latency& latency, const LatencyDetail& detail);

}  // namespace fathom::report
