// The two things of many numbers: a histogram with its exact sums (the mean and four percentiles beside them are for
// who reads the file), and a series as a table. A column of the table is named after its counter; "-" stands for a
// point that does not have it (no PSI, a counter of another kernel).
#include <algorithm>
#include <set>

#include "report/paging_xml_fields.h"
#include "stats/percentiles.h"

namespace fathom::report {
namespace {

using result::PagingSeriesPoint;

constexpr std::pair<const char*, double> kPercentiles[] = {
    {"p50_ns", 50}, {"p90_ns", 90}, {"p99_ns", 99}, {"p99.9_ns", 99.9}};

std::string wide(unsigned __int128 value) { return fmt::format("{}", value); }

// "value:count" for every bucket, the value that stands for it.
std::string bins_text(const stats::Histogram& histogram) {
  std::string text;
  for (const auto& bin : histogram.bins())
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", stats::bucket_value(bin.bucket), bin.count);
  return text;
}

// Names of a map that any point has.
template <class Number>
std::set<std::string> keys(const std::vector<PagingSeriesPoint>& points,
                           std::map<std::string, Number> PagingSeriesPoint::*of) {
  std::set<std::string> names;
  for (const auto& point : points)
    for (const auto& [name, value] : point.*of) names.insert(name);
  return names;
}

template <class Number>
void add_values(std::string& row, const std::map<std::string, Number>& values, const std::set<std::string>& names) {
  for (const auto& name : names) {
    const auto found = values.find(name);
    row += " " + (found == values.end() ? std::string("-") : xml_number(found->second));
  }
}

}  // namespace

void xml_latency(pugi::xml_node node, const result::AccessLatency& latency) {
  const auto& moments = latency.moments_ns;
  add_element(node, "count", xml_number(moments.n));
  add_element(node, "sum_ns", xml_number(moments.sum));
  add_element(node, "sum_squares_ns2", wide(moments.sum_squares));
  add_element(node, "min_ns", xml_number(moments.min()));
  add_element(node, "max_ns", xml_number(moments.max));
  add_element(node, "mean_ns", fmt::format("{:.1f}", moments.mean()));
  for (const auto& [key, p] : kPercentiles)
    add_element(node, key, xml_number(stats::percentile_within(latency.histogram_ns, moments, p)));
  add_element(node, "bins_ns", bins_text(latency.histogram_ns));
}

void ElementWriter::classes(const char* key, const result::AccessLatencies& latencies) {
  pugi::xml_node node;
  for (std::size_t c = 0; c < result::kAccessClasses; ++c)
    for (std::size_t d = 0; d < result::kAccessDirs; ++d) {
      const auto& latency = latencies[c][d];
      if (latency.moments_ns.n == 0) continue;
      if (!node) node = at_.append_child(key);
      auto one = node.append_child("class");
      add_attribute(one, "name", name(static_cast<result::AccessClass>(c)));
      add_attribute(one, "type", name(static_cast<result::AccessDir>(d)));
      xml_latency(one, latency);
    }
}

void xml_series(pugi::xml_node node, const std::vector<PagingSeriesPoint>& points) {
  const auto kernel = keys(points, &PagingSeriesPoint::kernel);
  const auto pressure = keys(points, &PagingSeriesPoint::pressure_percent);
  result::series_columns([&](const char* name, auto) { add_element(node, "column", name); });
  for (const auto& name : kernel) add_attribute(add_element(node, "column", name), "of", "kernel");
  for (const auto& name : pressure) add_attribute(add_element(node, "column", name), "of", "pressure_percent");
  for (const auto& point : points) {
    std::string row;
    result::series_columns(
        [&](const char*, auto member) { row += (row.empty() ? "" : " ") + xml_number(point.*member); });
    add_values(row, point.kernel, kernel);
    add_values(row, point.pressure_percent, pressure);
    add_element(node, "point", row);
  }
}

}  // namespace fathom::report
