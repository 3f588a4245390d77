// Summarizes metrics over repetitions.
#include "run/repeat.h"

#include <algorithm>
#include <numeric>

#include "io/request.h"
#include "result/sums/main_latency.h"
#include "result/sums/rates.h"
#include "stats/percentiles.h"
#include "stats/repeat.h"

namespace fathom::run {
namespace {

using result::sums::rate_of;

const result::Latency& served(const result::Direction& d) { return d.lat.moments_ns.n > 0 ? d.lat : d.clat; }

double percentile_ns(const result::Latency& l, double p) {
  return static_cast<double>(stats::percentile_within(l.histogram_ns, l.moments_ns, p));
}

bool always(const result::Direction& d) { return d.ios > 0; }
bool due(const result::Direction& d) { return result::sums::main_latency(d).is_due(); }

struct Metric {
  const char* name;
  const char* unit;
  double (*of)(const result::Direction&);
  bool (*is_of)(const result::Direction&) = always;  // for at least one repetition
};

constexpr Metric kMetrics[] = {
    {"iops", "1/s", [](const result::Direction& d) { return rate_of(d).iops().value_or(0); }},
    {"bw", "bytes/s", [](const result::Direction& d) { return rate_of(d).bytes_per_s().value_or(0); }},
    {"lat_mean", "ns", [](const result::Direction& d) { return served(d).moments_ns.mean(); }},
    {"lat_p50", "ns", [](const result::Direction& d) { return percentile_ns(served(d), 50); }},
    {"lat_p99", "ns", [](const result::Direction& d) { return percentile_ns(served(d), 99); }},
    {"intended_lat_mean", "ns", [](const result::Direction& d) { return d.intended_lat.moments_ns.mean(); }, due},
    {"intended_lat_p50", "ns", [](const result::Direction& d) { return percentile_ns(d.intended_lat, 50); }, due},
    {"intended_lat_p99", "ns", [](const result::Direction& d) { return percentile_ns(d.intended_lat, 99); }, due},
};

double total_iops(const result::Run& run) {
  result::sums::RateSum total;
  for (const auto& job : run.jobs)
    for (const auto& d : job.dirs)
      if (d.ios > 0) total.add(d);
  return total.iops().value_or(0);
}

}  // namespace

std::vector<result::RepeatedMetric> summarize_repetitions(const std::vector<result::Run>& runs) {
  std::vector<result::RepeatedMetric> out;
  if (runs.empty()) return out;
  for (std::size_t j = 0; j < runs[0].jobs.size(); ++j) {
    for (std::size_t d = 0; d < result::kDirs; ++d) {
      for (const auto& metric : kMetrics) {
        if (std::none_of(runs.begin(), runs.end(), [&](const auto& r) { return metric.is_of(r.jobs[j].dirs[d]); }))
          continue;
        result::RepeatedMetric m{
            runs[0].jobs[j].name, io::name(static_cast<io::Dir>(d)), metric.name, metric.unit, {}, 0, 0, 0, 0, 0};
        for (const auto& run : runs) m.values.push_back(metric.of(run.jobs[j].dirs[d]));
        const auto s = stats::summarize(m.values);
        m.mean = s.mean;
        m.stddev = s.stddev;
        m.median = s.median;
        m.ci95_low = s.ci95_low;
        m.ci95_high = s.ci95_high;
        out.push_back(std::move(m));
      }
    }
  }
  return out;
}

std::size_t median_repetition(const std::vector<result::Run>& runs) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return total_iops(runs[a]) < total_iops(runs[b]); });
  return order.empty() ? 0 : order[(order.size() - 1) / 2];
}

}  // namespace fathom::run
