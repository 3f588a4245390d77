// Percentile keys are %f texts ("99.500000"). Bin keys are the representative values of the buckets. Both are as in
// fio.
#include "report/parts/fio_json_latency.h"

#include <fmt/format.h>

#include "result/sums/percentiles.h"

namespace fathom::report::parts {

void write_percentiles(JsonWriter& w, std::string_view key, const stats::PercentileTable& table) {
  w.begin_object(key);
  for (const auto& [percentile, value] : table) w.field(fmt::format("{:f}", percentile), value);
  w.end_object();
}

namespace {

void write_bins(JsonWriter& w, std::string_view key, const stats::Histogram& histogram) {
  w.begin_object(key);
  for (const auto& bin : histogram.bins()) w.field(fmt::format("{}", stats::bucket_value(bin.bucket)), bin.count);
  w.end_object();
}

}  // namespace

void write_fio_latency(JsonWriter& w, std::string_view key, const result::Latency& latency,
                       const LatencyDetail& detail) {
  const auto& moments = latency.moments_ns;
  w.begin_object(key);
  w.field("min", moments.min());
  w.field("max", moments.max);
  w.field("mean", moments.mean());
  w.field("stddev", moments.stddev());
  w.field("N", moments.n);
  const auto table = result::percentiles_of(latency, detail.percentile_list);
  if (detail.percentiles && !table.empty()) {
    write_percentiles(w, "percentile", table);
    if (detail.bins && !latency.histogram_ns.empty()) write_bins(w, "bins", latency.histogram_ns);
  }
  w.end_object();
}

}  // namespace fathom::report::parts
