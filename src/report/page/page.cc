// The document around the sections.
#include "report/page/page.h"

#include <fmt/format.h>

#include <variant>

#include "report/formats.h"
#include "report/page/assets.h"
#include "report/page/html.h"
#include "report/page/packed.h"
#include "report/page/run_tables.h"

namespace fathom::report {
namespace page {
namespace {

// Nothing is loaded, sent, framed or submitted; images are the plots' own (PNG).
std::string policy() {
  return fmt::format(
      "default-src 'none'; script-src '{}' '{}'; style-src '{}' '{}'; img-src data: blob:; base-uri 'none'; "
      "form-action 'none'",
      policy_hash(plot_script()), policy_hash(script()), policy_hash(plot_style()), policy_hash(style()));
}

std::string tag(const char* element, std::string_view text) {
  return fmt::format("<{}>{}</{}>\n", element, text, element);
}

// Of what is no run: its text, which has all.
std::string other_section(const result::Stored& stored, std::size_t number) {
  const auto format = std::string(format_names(stored).front());
  return fmt::format("<div class=\"figures\" data-result=\"{}\"></div>\n<pre>{}</pre>\n", number,
                     escaped_lines(report_in(std::vector<std::string>{format}, stored)));
}

}  // namespace

std::string page_of(const std::vector<Section>& sections) {
  std::string body, data;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const auto& [title, stored] = sections[i];
    const auto* run = std::get_if<result::Run>(stored);
    body += fmt::format("<article id=\"result{}\"><h1>{}</h1>\n{}</article>\n", i, escaped(title),
                        run != nullptr ? run_section(*run, i) : other_section(*stored, i));
    data += fmt::format("<script type=\"application/json\" class=\"result\">{}</script>\n",
                        in_script(packed(report_in(std::vector<std::string>{"json"}, *stored))));
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" "
      "content=\"fathom\">\n<title>{}</title>\n{}{}</head>\n<body>\n<main>\n{}</main>\n{}{}{}</body>\n</html>\n",
      escaped(policy()), escaped(sections.empty() ? "fathom" : sections[0].title), tag("style", plot_style().text),
      tag("style", style().text), body, data, tag("script", plot_script().text), tag("script", script().text));
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
