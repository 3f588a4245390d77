// The tables contain the classes that occurred, then all accesses, and the thresholds that an access reached.
#include "report/page/tables/paging_tables.h"

#include <fmt/format.h>

#include <vector>

#include "report/page/html.h"
#include "report/page/units.h"
#include "result/sums/paging_sums.h"

namespace fathom::report::page::tables {
namespace {

using result::AccessLatency;

void add_class(Table& table, const std::string& whose, const AccessLatency& latency, const AccessLatency& all) {
  const auto& own = latency.moments_ns;
  if (own.n == 0) return;
  const auto share = [](double part, double whole) { return fmt::format("{:.1f} %", result::percent_of(part, whole)); };
  table.row({whose, fmt::format("{}", own.n), share(static_cast<double>(own.n), static_cast<double>(all.moments_ns.n)),
             share(static_cast<double>(own.sum), static_cast<double>(all.moments_ns.sum)), ns_text(own.mean()),
             ns_text(result::percentile_ns(latency, 50)), ns_text(result::percentile_ns(latency, 99)),
             ns_text(result::percentile_ns(latency, 99.9)), ns_text(static_cast<double>(own.max))});
}

std::string thresholds_html(const AccessLatency& all) {
  Table table("Accesses by least duration", {"threshold", "#accesses", "#of them", "#of the time"});
  for (const auto& row : result::long_accesses(all))
    if (row.count > 0)
      table.row({ns_text(static_cast<double>(row.threshold_ns)), fmt::format("{}", row.count),
                 fmt::format("{:.3g} %", row.count_percent), fmt::format("{:.3g} %", row.time_percent)});
  return table.html();
}

std::string configuration_text(const result::PagingRow& row, bool is_percent) {
  if (row.values.empty()) return "-";
  const auto text = [&](double value) { return is_percent ? percent(value) : ns_text(value); };
  if (row.values.size() < 2 || row.high <= row.low) return text(row.mean);
  return fmt::format("{} ({} to {})", text(row.mean), text(row.low), text(row.high));
}

}  // namespace

std::string ns_text(double ns) { return quantity(ns, "ns"); }

std::string configurations_html(const result::Paging& paging) {
  constexpr std::string_view kRows[] = {"mean of all accesses", "most frequent major fault", "mean of major faults",
                                        "overhead of major faults", "share of the overhead"};
  if (paging.table2.empty()) return "";
  std::vector<std::string> heads{"time"};
  for (const auto& column : paging.table2) heads.push_back("#" + column.name);
  Table table("Configurations", std::vector<std::string_view>(heads.begin(), heads.end()));
  for (std::size_t row = 0; row < std::size(kRows); ++row) {
    std::vector<std::string> cells{std::string(kRows[row])};
    for (const auto& column : paging.table2)
      cells.push_back(configuration_text(column.rows[row], row + 1 == std::size(kRows)));
    table.row(cells);
  }
  return table.html();
}

std::string accesses_html(const result::Paging& paging) {
  const auto all = result::of_all(paging.latency);
  Table table("Accesses", {"class", "#accesses", "#of all", "#of the time", "#mean", "#p50", "#p99", "#p99.9", "#max"});
  for (std::size_t c = 0; paging.classified && c < result::kAccessClasses; ++c)
    for (std::size_t d = 0; d < result::kAccessDirs; ++d)
      add_class(
          table,
          fmt::format("{} {}", name(static_cast<result::AccessClass>(c)), name(static_cast<result::AccessDir>(d))),
          paging.latency[c][d], all);
  add_class(table, "all", all, all);
  return table.html() + thresholds_html(all);
}

}  // namespace fathom::report::page::tables
