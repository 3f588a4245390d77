// The document around the sections.
#include "report/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/system/by_cpus.h"
#include "report/formats.h"
#include "report/page/assets.h"
#include "report/page/document.h"
#include "report/page/html.h"
#include "report/page/packed.h"
#include "report/page/run_tables.h"

namespace fathom::report {
namespace page {
namespace {

// Of what is no run: its text, which has all.
std::string other_section(const result::Stored& stored, std::size_t number) {
  const auto format = std::string(format_names(stored).front());
  return fmt::format("<div class=\"figures\" data-result=\"{}\"></div>\n<pre>{}</pre>\n", number,
                     escaped_lines(report_in(std::vector<std::string>{format}, stored)));
}

struct Pieces {
  std::string article, data;
};

Pieces pieces_of(const Section& section, std::size_t number) {
  const auto& [title, stored] = section;
  const auto* run = std::get_if<result::Run>(stored);
  return {fmt::format("<article id=\"result{}\"><h1>{}</h1>\n{}</article>\n", number, escaped(title),
                      run != nullptr ? run_section(*run, number) : other_section(*stored, number)),
          fmt::format("<script type=\"application/json\" class=\"result\">{}</script>\n",
                      in_script(packed(report_in(std::vector<std::string>{"json"}, *stored))))};
}

}  // namespace

std::string page_of(const std::vector<Section>& sections) {
  constexpr std::size_t kAtATime = 64;  // so that little is held twice
  std::string body, data;
  std::vector<Pieces> made(std::min(kAtATime, sections.size()));
  for (std::size_t first = 0; first < sections.size(); first += kAtATime) {
    const std::size_t n = std::min(kAtATime, sections.size() - first);
    base::system::by_cpus(n, [&](std::size_t i) { made[i] = pieces_of(sections[first + i], first + i); });
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

std::string title_of(const result::Stored& stored) {
  if (const auto* sweep = std::get_if<result::Sweep>(&stored)) return "Sweep of " + sweep->job;
  if (std::holds_alternative<result::Compare>(stored)) return "Comparison";
  const auto* run = std::get_if<result::Run>(&stored);
  if (run == nullptr) return kind_of(stored);
  std::string title = run->jobs.empty() ? kind_of(stored) : run->jobs[0].name;
  if (run->jobs.size() > 1) title += fmt::format(" and {} more", run->jobs.size() - 1);
  return run->host.hostname.empty() ? title : title + " on " + run->host.hostname;
}

std::string of_one(const result::Stored& stored) { return page_of({{title_of(stored), &stored}}); }

}  // namespace page

std::string run_html(const result::Run& run) { return page::of_one(run); }
std::string compare_html(const result::Compare& compare) { return page::of_one(compare); }
std::string sweep_html(const result::Sweep& sweep) { return page::of_one(sweep); }

}  // namespace fathom::report
