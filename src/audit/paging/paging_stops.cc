// Times when the workers did not run, or the kernel did not respond.
#include "audit/paging/paging_stops.h"

#include <algorithm>
#include <vector>

#include "audit/run_findings.h"
#include "base/text/unit_text.h"
#include "result/findings/rows.h"

namespace fathom::audit::paging {
namespace {

using result::AccessClass;

constexpr double kHardlyAnyAccess = 0.1;         // of the usual accesses per ms
constexpr double kFewestAccessesOfAPoint = 100;  // usual accesses; below it, a point without accesses has no meaning

double per_ms(std::uint64_t count, const result::PagingSeriesPoint& point) {
  return point.interval_ms > 0 ? static_cast<double>(count) / static_cast<double>(point.interval_ms) : 0;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The estimated time without accesses. An interval with more major faults than usual is slow, but not stopped.
double stopped_ms(const std::vector<result::PagingSeriesPoint>& points) {
  std::vector<double> accesses, majors;
  for (const auto& point : points) {
    accesses.push_back(per_ms(point.accesses, point));
    majors.push_back(per_ms(point.major, point));
  }
  const double usual = median(accesses), usual_majors = median(majors);
  double sum_ms = 0;
  for (const auto& point : points) {
    const auto interval_ms = static_cast<double>(point.interval_ms);
    if (usual * interval_ms < kFewestAccessesOfAPoint) continue;
    const double rate = per_ms(point.accesses, point);
    if (rate < kHardlyAnyAccess * usual && per_ms(point.major, point) <= usual_majors)
      sum_ms += interval_ms * (1 - rate / usual);
  }
  return sum_ms;
}

// The first and the last point contain an edge of the measured interval, so they are omitted.
void say_gaps(const PagingCase& c, std::vector<result::Finding>& out) {
  constexpr std::size_t kFewestPoints = 5;
  const auto& series = c.paging.series;
  if (series.size() < kFewestPoints + 2) return;
  const double stopped_s = stopped_ms({series.begin() + 1, series.end() - 1}) / 1e3;
  const double run_s = static_cast<double>(c.paging.window_ns) / 1e9;
  if (run_s < kShortest_s || stopped_s < kStoppedShareOfARun * run_s) return;
  out.push_back(result::findings::found(
      "run.stopped",
      {.variant = "accesses",
       .values = {{"stopped_s", stopped_s}, {"run_s", run_s}, {"stopped_percent", 100 * stopped_s / run_s}},
       .effect = result::Effect{result::EffectOn::time, std::min(1.0, stopped_s / run_s)}}));
}

void say_long_access(const PagingCase& c, std::vector<result::Finding>& out) {
  const auto window_ns = static_cast<double>(c.paging.window_ns);
  double longest_ns = 0;
  std::size_t of = 0;
  for (std::size_t k = 0; k < result::kAccessClasses; ++k)
    for (const auto& one : c.paging.latency[k])
      if (one.moments_ns.n > 0 && static_cast<double>(one.moments_ns.max) > longest_ns)
        longest_ns = static_cast<double>(one.moments_ns.max), of = k;
  if (window_ns < kShortest_s * 1e9 || longest_ns < kStoppedShareOfARun * window_ns) return;
  out.push_back(result::findings::found(
      "run.stopped", {.variant = "access",
                      .values = {{"class", result::name(static_cast<AccessClass>(of))},
                                 {"longest", base::text::unit_text(longest_ns, base::text::kTime)},
                                 {"longest_ns", longest_ns},
                                 {"run_s", window_ns / 1e9}},
                      .effect = result::Effect{result::EffectOn::time, std::min(1.0, longest_ns / window_ns)}}));
}

}  // namespace

void check_stops(const PagingCase& c, std::vector<result::Finding>& out) {
  const auto before = out.size();
  say_long_access(c, out);
  if (out.size() == before) say_gaps(c, out);
}

}  // namespace fathom::audit::paging
