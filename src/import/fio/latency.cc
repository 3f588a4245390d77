// A percentile that was not requested is written as "0.00", any number of times. An unmeasured latency has only zeros.
#include "import/fio/latency.h"

#include <cmath>
#include <string>

#include "import/fio/job_parts.h"
#include "import/xml_reader.h"

namespace fathom::import::fio {
namespace {

constexpr double kNsPerMicro = 1000;

void read_percentiles(JsonDocument& in, const JsonNode& node, double scale, stats::PercentileTable& table) {
  for (const auto& child : node.children) {
    const auto percentile = to_real(child.name);
    if (percentile && *percentile == 0) continue;
    if (!percentile || !(*percentile > (table.empty() ? 0 : table.back().first) && *percentile <= 100))
      return in.fail(child, fmt::format("\"{:.40}\" is not a percentile", child.name), "rising, above 0 and up to 100");
    if (!child.is(JsonNode::Kind::count))
      return in.fail(child, fmt::format("\"{:.40}\" is {}", child.name, kind_name(child)),
                     "a whole number of ns or us");
    table.emplace_back(*percentile, static_cast<std::uint64_t>(static_cast<double>(child.count) * scale));
  }
}

}  // namespace

bool read_latency(JsonDocument& in, const JsonNode& of, const char* name, std::uint64_t ios, result::Latency& latency,
                  std::vector<double>& list) {
  const auto* node = of.member(std::string(name) + "_ns");
  const double scale = node ? 1 : kNsPerMicro;
  if (!node) node = of.member(name);
  if (!node || !node->is(JsonNode::Kind::object)) return false;
  JsonReader fio(in, *node);
  stats::PercentileTable table;
  const auto* percentiles = node->member("percentile");
  if (percentiles) read_percentiles(in, *percentiles, scale, table);
  for (std::size_t i = 0; list.size() == i && i < table.size(); ++i) list.push_back(table[i].first);
  double min = 0, max = 0, mean = 0, stddev = 0;
  get(fio, "min", min), get(fio, "max", max), get(fio, "mean", mean), get(fio, "stddev", stddev);
  auto& moments = latency.moments_ns;
  moments.n = max > 0 || mean > 0 ? ios : 0;
  get(fio, "N", moments.n);
  if (moments.n == 0 || std::isnan(mean)) return moments = {}, percentiles != nullptr;
  moments.min_inverted = ~static_cast<std::uint64_t>(std::max(0.0, min * scale));
  moments.max = static_cast<std::uint64_t>(std::max(0.0, max * scale));
  set_sums(moments, mean * scale, std::isnan(stddev) ? 0 : stddev * scale);
  if (fio.there("bins", false)) fio.histogram("bins", latency.histogram_ns);
  if (const auto total = latency.histogram_ns.total(); total != 0 && total != moments.n)
    in.fail(*node, fmt::format("the bins of \"{}\" add up to {}, not to its {}", node->name, total, moments.n),
            "a damaged file");
  if (latency.histogram_ns.empty()) latency.percentiles_ns = std::move(table);
  return percentiles != nullptr;
}

}  // namespace fathom::import::fio
