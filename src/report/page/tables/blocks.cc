// Details are open in the document, since a page without a script and paper show everything; the script folds them.
#include "report/page/tables/blocks.h"

#include <fmt/format.h>

#include <cctype>

#include "report/formats.h"

namespace fathom::report::page::tables {
namespace {

struct ToneLook {
  const char *name, *icon;
};
constexpr ToneLook kToneLooks[] = {
    {"passed", "✓"}, {"warnings", "!"}, {"failed", "✕"}, {"same", "="}, {"unchecked", "?"}};

const ToneLook& tone_look(Tone tone) { return kToneLooks[static_cast<std::size_t>(tone)]; }

}  // namespace

Cell toned(Tone tone, std::string_view word) { return {std::string(word), tone_look(tone).name, tone_look(tone).icon}; }

std::string badge(Tone tone, std::string_view word, std::string_view more, const char* icon) {
  const auto& look = tone_look(tone);
  return fmt::format("<p class=\"badge {}\"><span aria-hidden=\"true\">{}</span> {}{}</p>\n", look.name,
                     icon == nullptr ? look.icon : icon, escaped(word),
                     more.empty() ? "" : fmt::format(" <small>{}</small>", escaped(more)));
}

std::string large_html(const std::vector<headline::NumbersOf>& all, std::size_t more) {
  std::string out;
  for (const auto& of : all) {
    out += fmt::format("<section><h2>{}</h2><dl>", escaped(of.of));
    for (const auto& number : of.numbers)
      out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escaped(number.name), escaped(number.value));
    out += "</dl>";
    if (!of.interval.empty()) out += fmt::format("<p>{}</p>", escaped(of.interval));
    out += "</section>\n";
  }
  if (more > 0) out += fmt::format("<p>and {} more rows in the table of jobs</p>\n", more);
  return "<div class=\"large\">\n" + out + "</div>\n";
}

std::string paragraph(std::string_view text) { return fmt::format("<p>{}</p>\n", escaped(text)); }

std::string labeled(std::string_view label, std::string_view text) {
  return fmt::format("<p><b>{}</b> {}</p>\n", escaped(label), escaped(text));
}

std::string list_html(const std::vector<std::string>& items) {
  std::string out;
  for (const auto& item : items) out += fmt::format("<li>{}</li>\n", escaped(item));
  return out.empty() ? out : "<ul>\n" + out + "</ul>\n";
}

std::string first(std::string inside) { return "<div class=\"first\">\n" + std::move(inside) + "</div>\n"; }

std::string figures(std::size_t number, int place) {
  const auto job = place == kAllParts ? "" : fmt::format(" data-job=\"{}\"", place);
  return fmt::format("<div class=\"figures\" data-result=\"{}\"{}></div>\n", number, job);
}

std::string section_id(std::string_view name, std::size_t number) {
  std::string id = fmt::format("result{}-", number);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    id += std::isalnum(byte) ? static_cast<char>(std::tolower(byte)) : '-';
  }
  return id;
}

void Sections::add(std::string_view name, std::string html) {
  if (!html.empty()) all_.emplace_back(name, std::move(html));
}

std::string Sections::html() const {
  std::string contents, out;
  for (const auto& [name, html] : all_) {
    const auto id = section_id(name, number_);
    contents += fmt::format("<a href=\"#{}\">{}</a>\n", id, escaped(name));
    out += fmt::format("<h2 id=\"{}\">{}</h2>\n{}", id, escaped(name), html);
  }
  return "<nav aria-label=\"Contents\">\n" + contents + "</nav>\n" + out;
}

std::string folded_finding(const FindingLine& finding, const std::string& inside) {
  const auto& [severity, text, id, place] = finding;
  return fmt::format(
      "<details open class=\"finding {0}\"{1}><summary><b>{0}</b> <span>{2}</span>{3}</summary>\n{4}</details>\n",
      name(severity), place, escaped(text), id.empty() ? "" : fmt::format(" <code>{}</code>", escaped(id)), inside);
}

std::string folded(const char* kind, std::string_view summary, const std::string& inside) {
  return inside.empty() ? ""
                        : fmt::format("<details open class=\"{}\"><summary>{}</summary>\n{}</details>\n", kind,
                                      escaped(summary), inside);
}

std::string text_html(const result::Stored& stored) {
  const auto* run = std::get_if<result::Run>(&stored);
  const std::string format = run != nullptr && !run->paging ? "normal" : "text";
  return folded("text", "The report as text",
                fmt::format("<pre>{}</pre>\n", escaped_lines(report_in(std::vector{format}, stored))));
}

}  // namespace fathom::report::page::tables
