// The same columns as in the text report.
#include "report/page/tables/split_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/page/html.h"
#include "report/page/units.h"
#include "report/parts/breakdown_rows.h"
#include "result/sums/percentiles.h"

namespace fathom::report::page::tables {
namespace {

using result::BreakdownBand, result::BreakdownClass, result::PartLatency;

constexpr double kShown = 0.0005;  // a smaller share is printed as 0.0 %

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

// A part, or the total. half_width below 0: unknown.
void add_part(Table& table, std::string_view name, const PartLatency& part, double share, double half_width) {
  const auto time = [](double ns) { return quantity(ns, "ns"); };
  const auto percentile = [&](double p) {
    const auto value = result::percentile_of(part, p);
    return value ? time(static_cast<double>(*value)) : std::string("-");
  };
  const auto within = half_width < 0 ? std::string("-")
                                     : fmt::format("{} to {}", share_text(std::max(share - half_width, 0.0)),
                                                   share_text(std::min(share + half_width, 1.0)));
  table.row({std::string(name), fmt::format("{}", part.moments_ns.n), time(part.moments_ns.mean()), percentile(50),
             percentile(99), percentile(99.9), time(static_cast<double>(part.moments_ns.max)), share_text(share),
             within});
}

std::string parts_table(const BreakdownClass& c) {
  Table table(fmt::format("{} {}: {} I/Os traced, {} attributed", c.job, c.direction, c.ios, c.matched),
              {"part", "#I/Os", "#mean", "#p50", "#p99", "#p99.9", "#max", "#of the time", "#95 % interval"});
  for (const auto part : result::kInOrder) {
    const auto p = static_cast<std::size_t>(part);
    if (c.parts[p].covered) add_part(table, name(part), c.parts[p], parts::share_of(c, p), c.share_half_width[p]);
  }
  if (const double untold = parts::untold_of(c); untold > 0)
    table.row({"unattributed", "-", "-", "-", "-", "-", "-", share_text(untold), "-"});
  if (c.whole.moments_ns.n > 0) add_part(table, "whole", c.whole, 1, -1);
  return table.html();
}

std::string bands_table(const BreakdownClass& c) {
  if (c.bands.empty()) return "";
  std::vector<std::string> names{"share of the time"};
  for (const auto& band : c.bands) names.push_back("#" + band.name);
  Table table("By latency: each part's share of the time of a band's I/Os",
              std::vector<std::string_view>(names.begin(), names.end()));
  const auto row = [&](std::string_view of, const auto& cell) {
    std::vector<std::string> cells{std::string(of)};
    for (const auto& band : c.bands) cells.push_back(cell(band));
    table.row(cells);
  };
  row("latency from", [](const BreakdownBand& band) { return quantity(band.from_ns, "ns"); });
  row("I/Os", [](const BreakdownBand& band) { return fmt::format("{}", band.ios); });
  row("of all time",
      [](const BreakdownBand& band) { return band.ios > 0 ? share_text(band.time_share) : std::string("-"); });
  for (const auto part : result::kInOrder) {
    const auto p = static_cast<std::size_t>(part);
    const auto seen = [&](const BreakdownBand& band) { return band.told && band.share[p] >= kShown; };
    if (std::any_of(c.bands.begin(), c.bands.end(), seen))
      row(name(part),
          [&](const BreakdownBand& band) { return band.told ? share_text(band.share[p]) : std::string("-"); });
  }
  return table.html();
}

// The I/Os without a breakdown, with the reason.
std::string undivided_table(const BreakdownClass& c) {
  Table table("Not divided", {"why", "#I/Os", "#mean"});
  for (std::size_t i = 0; i < result::kUndivided; ++i)
    if (const auto& rest = c.undivided[i]; rest.ios > 0)
      table.row({name(static_cast<result::Undivided>(i)), fmt::format("{}", rest.ios),
                 quantity(static_cast<double>(rest.time_ns) / static_cast<double>(rest.ios), "ns")});
  return table.empty() ? "" : table.html();
}

}  // namespace

std::string split_html(const result::Breakdown& split) {
  if (!split.asked) return "";
  std::string out;
  if (!split.cause.empty())
    out += fmt::format("<p>{}: {}.</p>\n", split.classes.empty() ? "Not told" : "Incomplete", escaped(split.cause));
  for (const auto& limit : split.io_limits) out += fmt::format("<p>I/O limit active: {}.</p>\n", escaped(limit));
  for (const auto& c : split.classes) out += parts_table(c) + bands_table(c) + undivided_table(c);
  return out;
}

}  // namespace fathom::report::page::tables
