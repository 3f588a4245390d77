// The two tables that answer where the time goes: by class and direction, and by how long an access took (the paper's
// reading).
#include <fmt/format.h>

#include "base/unit_text.h"
#include "report/paging_text_parts.h"
#include "report/paging_view.h"
#include "report/paging_words.h"

namespace fathom::report {
namespace {

using result::AccessClass;
using result::AccessDir;

std::string row(const result::Paging& paging, std::string_view name, const result::AccessLatency& latency,
                const result::AccessLatency& all) {
  const auto& m = latency.moments_ns;
  if (m.n == 0) return "";
  const auto p = [&](double percentile) { return latency_text(paging, percentile_ns(latency, percentile)); };
  const auto max = static_cast<double>(m.max);
  const bool all_in_first_bin = max < kFirstBin_ns;  // else the mean is of the bins' middles
  return fmt::format("  {:<11}{:>8}{:>6}{:>6}{:>8}{:>7}{:>8}{:>8}{:>8}{:>8}\n", name,
                     short_count(static_cast<double>(m.n)),
                     short_percent(percent_of(static_cast<double>(m.n), static_cast<double>(all.moments_ns.n))),
                     short_percent(percent_of(static_cast<double>(m.sum), static_cast<double>(all.moments_ns.sum))),
                     all_in_first_bin ? latency_text(paging, m.mean()) : short_time(m.mean()), p(50), p(90), p(99),
                     p(99.9), latency_text(paging, max));
}

// The fullest bin of each class, as the paper reads them off its figure.
std::string peaks(const result::Paging& paging) {
  std::string text;
  for (std::size_t c = 0; c < result::kAccessClasses; ++c) {
    const auto bins = stats::pmbench_view(of_class(paging.latency, static_cast<AccessClass>(c)).histogram_ns);
    const auto peak = stats::pmbench_peak(bins);
    if (peak.count == 0) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", paging.classified ? name(static_cast<AccessClass>(c)) : "all",
                    short_range(static_cast<double>(peak.begin_ns), static_cast<double>(peak.end_ns)));
  }
  return text.empty() ? "" : wrapped("fullest bin of pmbench's: " + text, "  ");
}

}  // namespace

std::string paging_classes(const result::Paging& paging) {
  const auto all = of_all(paging.latency);
  if (all.moments_ns.n == 0) {
    const auto n = accesses(paging);
    if (n == 0) return "\nno access was made\n";
    return fmt::format("\n{} reads and {} writes, not stamped: no latencies\n", accesses(paging, AccessDir::read),
                       accesses(paging, AccessDir::write));
  }
  std::string out = fmt::format("\n  {:<11}{:>8}{:>6}{:>6}{:>8}{:>7}{:>8}{:>8}{:>8}{:>8}\n", "", "count", "of n",
                                "time", "mean", "p50", "p90", "p99", "p99.9", "max");
  if (paging.classified)
    for (std::size_t c = 0; c < result::kAccessClasses; ++c)
      for (std::size_t d = 0; d < result::kAccessDirs; ++d)
        out += row(paging, fmt::format("{} {}", name(static_cast<AccessClass>(c)), name(static_cast<AccessDir>(d))),
                   paging.latency[c][d], all);
  for (std::size_t d = 0; d < result::kAccessDirs; ++d)
    out += row(paging, fmt::format("all {}", name(static_cast<AccessDir>(d))),
               of_dir(paging.latency, static_cast<AccessDir>(d)), all);
  return out + row(paging, "all", all, all) + peaks(paging);
}

std::string paging_thresholds(const result::Paging& paging) {
  const auto all = of_all(paging.latency);
  if (all.moments_ns.n == 0) return "";
  std::string out =
      fmt::format("\n  {:<16}{:>10}{:>10}{:>10}{:>10}\n", "took at least", "accesses", "of them", "time", "of time");
  for (const auto& long_ones : long_accesses(all)) {
    if (long_ones.count == 0) break;
    out += fmt::format("  {:<16}{:>10}{:>10}{:>10}{:>10}\n",
                       base::unit_text(static_cast<double>(long_ones.threshold_ns), base::kTimeLimit),
                       short_count(static_cast<double>(long_ones.count)), short_percent(long_ones.count_percent),
                       short_time(long_ones.time_ns), short_percent(long_ones.time_percent));
  }
  const auto hundred_us = long_accesses(all)[2];
  double wall_ns = 0;
  for (const auto& worker : paging.workers) wall_ns += static_cast<double>(worker.wall_ns);
  auto share = fmt::format("{:.1f} % of the time in accesses", hundred_us.time_percent);
  if (wall_ns > 0) share += fmt::format(", {:.1f} % of the run's,", percent_of(hundred_us.time_ns, wall_ns));
  return out + wrapped(share + " in those longer than 100 us", "  ");
}

}  // namespace fathom::report
