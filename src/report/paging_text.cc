// The text of `fathom paging`, from what ran to what is doubted about it.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/normal_parts.h"
#include "report/paging_chart.h"
#include "report/paging_text_parts.h"
#include "report/paging_view.h"
#include "report/shown.h"

namespace fathom::report {
namespace {

// The one character of our own words that is not ASCII; what stands in findings is as it was found.
std::string in_ascii(std::string text) {
  constexpr std::string_view kPlusMinus = "±";
  for (std::size_t at = text.find(kPlusMinus); at != std::string::npos; at = text.find(kPlusMinus, at))
    text.replace(at, kPlusMinus.size(), "+-");
  return text;
}

}  // namespace

std::string paging_charts(const result::Paging& paging, const PagingTextOptions& o) {
  const auto reads = of_dir(paging.latency, result::AccessDir::read).histogram_ns;
  const auto writes = of_dir(paging.latency, result::AccessDir::write).histogram_ns;
  const stats::Histogram* const both[] = {&reads, &writes};
  ChartStyle style{o.utf8, true, std::clamp<std::size_t>(o.width, 40, 200), 8};
  const auto axis = axis_for(both, style.width);
  std::string out;
  for (const bool logarithmic : {false, true}) {
    if (o.counts != CountAxis::both && logarithmic != (o.counts == CountAxis::logarithmic)) continue;
    style.log_counts = logarithmic;
    const auto* scale = logarithmic ? "logarithmic" : "linear";
    const auto title = [&](const char* word) { return fmt::format("\n  {} by latency, {} counts", word, scale); };
    out += draw_histogram(title("reads"), reads, axis, style) + draw_histogram(title("writes"), writes, axis, style);
  }
  return out;
}

std::string paging_text(const result::Run& as_it_is, const PagingTextOptions& o) {
  if (!as_it_is.paging) return "";
  const auto run = shown(as_it_is);
  const auto& p = *run.paging;
  const bool table_alone = !p.table2.empty() && p.workers.empty();  // `breakdown`: the runs are in repetitions
  std::string out = paging_head(run) + paging_table2(p);
  if (!table_alone)
    out += paging_score_line(p) + paging_classes(p) + paging_thresholds(p) + paging_charts(p, o) + paging_devices(p) +
           paging_threads(p) + paging_series(p, o) + paging_counters(p);
  out += paging_pressure(p) + paging_memory(p);
  const auto doubts = audit_lines(run) + repeat_lines(run) + settle_line(run.settle) + finding_lines(run);
  if (!doubts.empty()) out += "\n" + doubts;
  return o.utf8 ? out : in_ascii(std::move(out));
}

std::string paging_text(const result::Run& run) { return paging_text(run, PagingTextOptions{}); }
std::string paging_text_ascii(const result::Run& run) { return paging_text(run, {false, CountAxis::logarithmic, 80}); }

}  // namespace fathom::report
