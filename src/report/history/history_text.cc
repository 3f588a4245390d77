// Names come from outside: each is escaped where it enters a line.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/printable.h"
#include "report/compare/compare_formats.h"
#include "report/compare/compare_words.h"
#include "report/formats.h"
#include "report/history/fitted_table.h"
#include "report/history/history_formats.h"
#include "report/parts/numbers.h"

namespace fathom::report {
namespace history {
namespace {

using base::text::printable;
using Fit = TableColumn::Fit;

std::string number_text(const std::optional<double>& value, std::string_view unit) {
  return value ? parts::quantity_text(*value, unit) : "-";
}

std::string date_of(std::uint64_t epoch_ms) { return epoch_ms == 0 ? "-" : parts::date_and_minute(epoch_ms); }

std::size_t width_of(const Canvas& canvas) { return std::clamp(canvas.width, compare::kNarrowest, compare::kWidest); }

std::string checks_word(const std::string& checks) { return checks == "failed" ? "FAILED" : printable(checks); }

template <class Rows, class CellOf>
TableColumn column(std::string head, Fit fit, bool right, const Rows& rows, CellOf cell_of) {
  TableColumn out{.head = std::move(head), .fit = fit, .right = right};
  for (const auto& row : rows) out.cells.push_back(cell_of(row));
  return out;
}

std::string table(const result::HistoryList& list, std::size_t width) {
  const auto joined = [](const auto& run) { return printable(fmt::format("{}", fmt::join(run.tags, ","))); };
  const auto& runs = list.runs;
  return fitted_table(
      {column("id", Fit::whole, true, runs, [](const auto& run) { return fmt::format("{}", run.id); }),
       column("date", Fit::whole, false, runs, [](const auto& run) { return date_of(run.time_epoch_ms); }),
       column("job", Fit::cut, false, runs, [](const auto& run) { return printable(run.job); }),
       column("IOPS", Fit::whole, true, runs, [](const auto& run) { return number_text(run.iops, "1/s"); }),
       column("p99", Fit::whole, true, runs, [](const auto& run) { return number_text(run.p99_ns, "ns"); }),
       column("checks", Fit::left_out, false, runs, [](const auto& run) { return checks_word(run.checks); }),
       column("tags", Fit::cut, false, runs, joined),
       column("bandwidth", Fit::left_out, true, runs,
              [](const auto& run) { return number_text(run.bytes_per_s, "bytes/s"); }),
       column("host", Fit::left_out, false, runs, [](const auto& run) { return printable(run.host); }),
       column("workload", Fit::left_out, false, runs, [](const auto& run) { return printable(run.workload); })},
      width);
}

std::string series_name(const result::HistorySeries& series) {
  return printable(fmt::format("{} {} {}", series.job, series.direction, series.metric));
}

std::string p_text(double p) {
  constexpr double kTiny = 1e-9;
  return p < kTiny ? "p below 1e-9" : fmt::format("p {:.2g}", p);
}

std::string change_text(const result::HistorySeries& series, const result::HistoryChange& change) {
  return fmt::format("{}% between runs {} and {} ({}): {} in {} runs, {} in {} runs before; {}",
                     compare::percent_text(change.percent), change.before_id, change.id, date_of(change.time_epoch_ms),
                     parts::quantity_text(change.after, series.unit), change.runs,
                     parts::quantity_text(change.before, series.unit), change.before_runs, p_text(change.p));
}

std::string head(const result::HistoryCheck& check, std::size_t width) {
  std::string out;
  std::size_t judged = 0;
  for (const auto& series : check.series) {
    judged += series.state == result::HistoryState::too_few ? 0 : 1;
    if (series.state == result::HistoryState::worse && !series.changes.empty())
      out += compare::fitted(
          fmt::format("WORSE: {}: {}", series_name(series), change_text(series, series.changes.back())), "", width);
  }
  if (!out.empty()) return out;
  if (judged > 0)
    return compare::fitted(
        fmt::format("No series is worse at its end: {} of {} have enough runs.", judged, check.series.size()), "",
        width);
  return compare::fitted(
      check.series.empty() ? "Nothing to check: no run has numbers." : "Nothing to check: no series has enough runs.",
      "", width);
}

std::string table(const result::HistoryCheck& check, std::size_t width) {
  const auto& all = check.series;
  return fitted_table(
      {column("job", Fit::cut, false, all, [](const auto& series) { return printable(series.job); }),
       column("direction", Fit::cut, false, all, [](const auto& series) { return printable(series.direction); }),
       column("metric", Fit::whole, false, all, [](const auto& series) { return printable(series.metric); }),
       column("runs", Fit::whole, true, all, [](const auto& series) { return fmt::format("{}", series.runs); }),
       column("newest", Fit::whole, true, all,
              [](const auto& series) { return parts::quantity_text(series.typical, series.unit); }),
       column("state", Fit::whole, false, all, [](const auto& series) { return std::string(name(series.state)); }),
       column("changes", Fit::left_out, true, all,
              [](const auto& series) { return fmt::format("{}", series.changes.size()); })},
      width);
}

std::string changes(const result::HistoryCheck& check, std::size_t width) {
  std::string out;
  for (const auto& series : check.series)
    for (const auto& change : series.changes) {
      if (out.empty()) out += "\nChanges, the oldest of a series first:\n";
      out += compare::fitted(fmt::format("{}: {}", series_name(series), change_text(series, change)), "  ", width);
      for (const auto& [name, before, after] : change.differences)
        out += compare::fitted(
            fmt::format("{} differs: {} before, {} since", printable(name),
                        before.empty() ? "unknown" : printable(before), after.empty() ? "unknown" : printable(after)),
            "    ", width);
    }
  return out;
}

}  // namespace

std::string text_of(const result::HistoryList& list, const Canvas& canvas) {
  const auto width = width_of(canvas);
  std::string out;
  if (!list.runs.empty()) out += table(list, width);
  for (const auto& run : list.runs)
    if (!run.unfit.empty())
      out += compare::fitted(fmt::format("run {} is not checked: {}", run.id, printable(run.unfit)), "", width);
  out += compare::fitted(fmt::format("{} of {} runs in {}", list.runs.size(), list.all_runs, printable(list.file)), "",
                         width);
  return out;
}

std::string text_of(const result::HistoryCheck& check, const Canvas& canvas) {
  const auto width = width_of(canvas);
  std::string out = head(check, width);
  if (!check.series.empty()) out += "\n" + table(check, width);
  out += changes(check, width);
  if (check.unfit_runs > 0)
    out += "\n" + compare::fitted(fmt::format("Omitted: {} runs that were interrupted, failed, or have no numbers.",
                                              check.unfit_runs),
                                  "", width);
  return out;
}

std::string answer(const result::HistoryCheck& check, const Canvas& canvas) { return head(check, width_of(canvas)); }

}  // namespace history

std::string history_list_text(const result::HistoryList& list) { return history::text_of(list, {}); }
std::string history_check_text(const result::HistoryCheck& check) { return history::text_of(check, {}); }

}  // namespace fathom::report
