// Latency objects of fio's JSON, and the same shape in ours.
#pragma once
#include <span>
#include <string_view>

#include "report/parts/json_writer.h"
#include "result/result.h"

namespace fathom::report::parts {

// fio's: min, max, mean, stddev, N; "percentile" if requested and if there are samples; in json+ also "bins".
struct LatencyDetail {
  std::span<const double> percentile_list;
  bool percentiles = false;
  bool bins = false;
};
void write_fio_latency(JsonWriter& w, std::string_view key, const result::Latency& latency,
                       const LatencyDetail& detail);

void write_percentiles(JsonWriter& w, std::string_view key, const stats::PercentileTable& table);

}  // namespace fathom::report::parts
