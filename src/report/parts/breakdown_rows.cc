// Two tables. The first has the mean and the percentiles of each part. They do not show which parts were long in the
// same I/O. The second has the parts as shares of the time of each latency band, and so explains the tail.
#include "report/parts/breakdown_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "result/sums/cost_words.h"
#include "result/sums/percentiles.h"
#include "stats/banded_ratio.h"

namespace fathom::report::parts {
namespace {

using result::BreakdownBand;

constexpr double kShown = 0.0005;  // a smaller share is printed as 0.0 %

// One row: a cell for each band.
template <class Cell>
std::string band_row(std::string_view name, const result::BreakdownClass& c, const Cell& cell) {
  std::string out = fmt::format("    {:<12}", name);
  for (const auto& band : c.bands) out += fmt::format(" {:>12}", cell(band));
  return out + "\n";
}

// A row without latencies of single I/Os.
std::string bare_row(std::string_view name, std::string_view mean, double share) {
  return fmt::format("    {:<12}{:>11} {:>11} {:>11} {:>11} {:>8.1f}% {:>9}\n", name, mean, "-", "-", "-", 100 * share,
                     "-");
}

std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

}  // namespace

std::string part_row(std::string_view name, const result::PartLatency& part, const RowFacts& facts) {
  const auto cells = [&](std::string_view mean, std::string_view p50, std::string_view p99, std::string_view p999,
                         std::string_view share, std::string_view ios) {
    return fmt::format("    {:<12}{:>11} {:>11} {:>11} {:>11} {:>9} {:>9}", name, mean, p50, p99, p999, share, ios);
  };
  if (!part.covered) return cells("-", "-", "-", "-", "-", "-") + "\n";
  const auto percentile = [&](double p) {
    const auto value = result::percentile_of(part, p);
    return value ? us(static_cast<double>(*value)) : part.moments_ns.n == 0 ? us(0) : "-";
  };
  const std::string within = facts.half_width < 0
                                 ? ""
                                 : fmt::format("  {:.1f}-{:.1f}%", 100 * std::max(facts.share - facts.half_width, 0.0),
                                               100 * std::min(facts.share + facts.half_width + facts.untold, 1.0));
  return cells(us(part.moments_ns.mean()), percentile(50), percentile(99), percentile(99.9),
               fmt::format("{:.1f}%", 100 * facts.share), fmt::format("{}", part.moments_ns.n)) +
         within + "\n";
}

double share_of(const result::BreakdownClass& c, std::size_t part) {
  if (c.share[part] >= 0) return c.share[part];
  const double whole_ns = static_cast<double>(c.whole.moments_ns.sum);
  return whole_ns > 0 ? static_cast<double>(c.parts[part].moments_ns.sum) / whole_ns : 0;
}

bool is_zero(const result::BreakdownClass& c, std::size_t part) {
  return c.parts[part].covered && c.parts[part].moments_ns.max == 0 && share_of(c, part) < kShown;
}

double untold_of(const result::BreakdownClass& c) { return c.share[0] < 0 ? 0 : result::untold_share(c); }

std::string sum_rows(const result::BreakdownClass& c) {
  const std::string enough = fmt::format("{} slices or {} I/Os", stats::kFewestInBand, result::kFewestDivided);
  std::string out;
  const double untold = untold_of(c);
  if (untold > 0) out += bare_row("unattributed", "-", untold);
  out += part_row("whole", c.whole, {.share = 1});
  if (c.slices > 0)
    out += fmt::format("    from-to: 95 % confidence interval of the share, from {} slices{}\n", c.slices,
                       c.slices < 3 ? ": too few for an interval"
                       : untold > 0 ? ", and the unattributed share may belong to any part"
                                    : "");
  if (c.slices > 0 && c.share[0] < 0 && !c.bands.empty())
    out += "    shares are of traced I/Os, not weighted: no latency band has at least " + enough + "\n";
  if (untold > 0) out += "    unattributed: latency bands with fewer than " + enough + "\n";
  if (c.others.covered) out += part_row("others", c.others, {.share = 1});
  if (c.slices > 0 && c.watching.by != result::CostBy::nothing && c.whole.moments_ns.mean() > 0)
    out += bare_row("watching", us(c.watching.added_ns), c.watching.added_ns / c.whole.moments_ns.mean()) +
           "    watching: probe overhead per traced I/O, included in the parts; share of `whole`\n";
  return out;
}

std::string band_lines(const result::BreakdownClass& c) {
  if (c.bands.empty()) return "";
  std::string out = band_row("by latency", c, [](const BreakdownBand& band) { return band.name; });
  out += band_row("from us", c, [](const BreakdownBand& band) { return us(band.from_ns); });
  out += band_row("I/Os", c, [](const BreakdownBand& band) { return fmt::format("{}", band.ios); });
  out += band_row("of all time", c,
                  [](const BreakdownBand& band) { return band.ios > 0 ? percent(band.time_share) : std::string("-"); });
  for (const auto part : result::kInOrder) {
    const auto p = static_cast<std::size_t>(part);
    const bool any =
        std::any_of(c.bands.begin(), c.bands.end(), [&](const auto& band) { return band.share[p] >= kShown; });
    if (!any && (p >= result::kEventParts || !c.parts[p].covered || is_zero(c, p))) continue;
    out += band_row(name(part), c, [&](const BreakdownBand& band) { return band.told ? percent(band.share[p]) : "-"; });
  }
  return out + "    by latency: each part's share of the time of a band's I/Os\n";
}

std::string watching_lines(const result::Breakdown& split, const result::BreakdownClass& c) {
  std::string out = fmt::format("  breakdown cost {} {} while traced: {}", c.job, c.direction,
                                result::sums::judged_words(c.watching));
  if (c.watching.by != result::CostBy::nothing)
    out += fmt::format("; {:.0f} % of the time is traced", 100 * split.seen_share);
  return out + "\n";
}

std::string lost_lines(const result::Breakdown& split) {
  std::string out;
  if (split.events_lost > 0) out += fmt::format("  breakdown lost: {} events, the table was full\n", split.events_lost);
  if (split.requests_beyond > 0)
    out += fmt::format("  breakdown lost: {} requests had more bios than are traced\n", split.requests_beyond);
  return out;
}

std::string watcher_words(const result::WatcherCost& of, const result::sums::CostTerms& terms) {
  return fmt::format("watching cost {}{}: {}", of.job.empty() ? "" : of.job + ", ", of.watcher,
                     result::sums::judged_words(of.cost, terms));
}

std::string watcher_lines(const std::vector<result::WatcherCost>& watching) {
  std::string out;
  for (const auto& of : watching) out += "  " + watcher_words(of, {}) + "\n";
  return out;
}

}  // namespace fathom::report::parts
