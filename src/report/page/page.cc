// The document around the sections.
#include "report/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/system/by_cpus.h"
#include "report/formats.h"
#include "report/headline/verdict.h"
#include "report/page/assets.h"
#include "report/page/document.h"
#include "report/page/html.h"
#include "report/page/packed.h"
#include "report/page/tables/clock_tables.h"
#include "report/page/tables/compare_tables.h"
#include "report/page/tables/doctor_tables.h"
#include "report/page/tables/pmu_tables.h"
#include "report/page/tables/run_tables.h"
#include "report/page/tables/sweep_tables.h"
#include "report/parts/shown.h"

namespace fathom::report {
namespace page {
namespace {

// A result of a kind without tables of its own: its text, which is complete.
template <class T>
std::string inside_of(const T& result, std::size_t /*number*/) {
  return fmt::format("<pre>{}</pre>\n", escaped_lines(report_in(std::vector<std::string>{"text"}, result)));
}
std::string inside_of(const result::Run& run, std::size_t number) { return tables::run_section(run, number); }
std::string inside_of(const result::Compare& one, std::size_t number) { return tables::compare_section(one, number); }
std::string inside_of(const result::Sweep& one, std::size_t number) { return tables::sweep_section(one, number); }
std::string inside_of(const result::PmuStat& one, std::size_t number) { return tables::pmu_section(one, number); }
std::string inside_of(const result::Doctor& one, std::size_t number) { return tables::doctor_section(one, number); }
std::string inside_of(const result::ClockTest& one, std::size_t number) {
  return tables::clock_test_section(one, number);
}
std::string inside_of(const result::ClockSources& one, std::size_t number) {
  return tables::clock_sources_section(one, number);
}

struct Pieces {
  std::string article, data;
};

// For several results: a table with the measurement and the checks of each, and one row per direction.
std::string overview_html(const std::vector<Section>& sections) {
  Table table("Results", {"result", "checks", "measured", "of", "#IOPS", "#bandwidth", "#p99"});
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const auto target = fmt::format("#result{}", i);
    const auto* run = std::get_if<result::Run>(sections[i].stored);
    const auto pieces = run == nullptr ? std::nullopt : headline::pieces(parts::shown(*run), run->repetitions);
    if (!pieces || pieces->numbers.empty()) {
      table.row({sections[i].title, pieces ? pieces->checks : "-", pieces ? pieces->measured : "-", "-", "-", "-", "-"},
                target);
      continue;
    }
    for (const auto& of : pieces->numbers) {
      std::vector<std::string> cells{sections[i].title, pieces->checks, pieces->measured, of.of};
      for (const std::string_view name : {"IOPS", "bandwidth", "p99"}) {
        const auto at = std::find_if(of.numbers.begin(), of.numbers.end(),
                                     [&](const auto& one) { return one.name.find(name) != std::string::npos; });
        cells.push_back(at == of.numbers.end() ? "-" : at->value);
      }
      table.row(cells, target);
    }
  }
  return "<h1>Results</h1>\n" + table.html();
}

Pieces pieces_of(const Section& section, std::size_t number, bool folds) {
  const auto& [title, stored] = section;
  const auto head = fmt::format("<h1>{}</h1>\n", escaped(title));
  const auto inside = std::visit([&](const auto& result) { return inside_of(result, number); }, *stored);
  return {fmt::format(
              "<article id=\"result{}\">{}</article>\n", number,
              folds ? fmt::format("<details open class=\"result\"><summary>{}</summary>\n{}</details>", head, inside)
                    : head + inside),
          fmt::format("<script type=\"application/json\" class=\"result\">{}</script>\n",
                      in_script(packed(report_in(std::vector<std::string>{"json"}, *stored))))};
}

}  // namespace

std::string page_of(const std::vector<Section>& sections) {
  constexpr std::size_t kAtATime = 64;  // limits the sections that are in memory twice
  constexpr std::size_t kMostUnfolded = 3;
  const bool folds = sections.size() > kMostUnfolded;
  std::string body = sections.size() > 1 ? overview_html(sections) : std::string(), data;
  std::vector<Pieces> made(std::min(kAtATime, sections.size()));
  for (std::size_t first = 0; first < sections.size(); first += kAtATime) {
    const std::size_t n = std::min(kAtATime, sections.size() - first);
    base::system::by_cpus(n, [&](std::size_t i) { made[i] = pieces_of(sections[first + i], first + i, folds); });
    for (std::size_t i = 0; i < n; ++i) {
      body += made[i].article;
      data += made[i].data;
    }
  }
  return document({sections.empty() ? "fathom" : sections[0].title,
                   std::move(body),
                   std::move(data),
                   {plot_style(), style()},
                   {plot_script(), script()}});
}

namespace {

// "fathom doctor", without the marks of a text.
std::string plain_kind(const result::Stored& stored) {
  auto kind = kind_of(stored);
  std::erase(kind, '`');
  return kind;
}

}  // namespace

std::string title_of(const result::Stored& stored) {
  if (const auto* sweep = std::get_if<result::Sweep>(&stored)) return "Sweep of " + sweep->job;
  if (const auto* compared = std::get_if<result::Compare>(&stored)) return tables::compare_title(*compared);
  const auto* run = std::get_if<result::Run>(&stored);
  if (run == nullptr) return plain_kind(stored);
  std::string title = run->jobs.empty() ? plain_kind(stored) : run->jobs[0].name;
  if (run->jobs.size() > 1) title += fmt::format(" and {} more", run->jobs.size() - 1);
  return run->host.hostname.empty() ? title : title + " on " + run->host.hostname;
}

std::string of_one(const result::Stored& stored) { return page_of({{title_of(stored), &stored}}); }

}  // namespace page

std::string run_html(const result::Run& run) { return page::of_one(run); }
std::string compare_html(const result::Compare& compare) { return page::of_one(compare); }
std::string sweep_html(const result::Sweep& sweep) { return page::of_one(sweep); }
std::string pmu_stat_html(const result::PmuStat& stat) { return page::of_one(stat); }
std::string doctor_html(const result::Doctor& doctor) { return page::of_one(doctor); }
std::string clock_test_html(const result::ClockTest& test) { return page::of_one(test); }
std::string clock_sources_html(const result::ClockSources& sources) { return page::of_one(sources); }

}  // namespace fathom::report
