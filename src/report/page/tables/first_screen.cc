// Details are open in the document, since a page without a script and paper show everything; the script folds them.
#include "report/page/tables/first_screen.h"

#include <fmt/format.h>

#include <set>

#include "report/headline/verdict.h"
#include "report/page/html.h"
#include "result/findings/rows.h"
#include "result/sums/checks.h"
#include "result/sums/same_findings.h"

namespace fathom::report::page::tables {
namespace {

using result::sums::Outcome;

struct Look {
  const char *name, *icon, *word;  // word: where the count of warnings is not the word
};

Look look_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return {"passed", "✓", "Checks passed"};
    case Outcome::warnings:
      return {"warnings", "!", ""};
    case Outcome::failed:
      return {"failed", "✕", "Checks FAILED"};
    case Outcome::not_checked:
      break;
  }
  return {"unchecked", "?", "Not checked"};
}

std::string badge(const headline::Pieces& pieces) {
  const auto look = look_of(pieces.outcome);
  const std::string word = *look.word != 0 ? look.word : pieces.checks;
  return fmt::format("<p class=\"badge {}\"><span aria-hidden=\"true\">{}</span> {} <small>{}</small></p>\n", look.name,
                     look.icon, escaped(word), escaped(pieces.reasons));
}

std::string large_html(const headline::Pieces& pieces) {
  std::string out;
  for (const auto& of : pieces.numbers) {
    out += fmt::format("<section><h2>{}</h2><dl>", escaped(of.of));
    for (const auto& number : of.numbers)
      out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escaped(number.name), escaped(number.value));
    out += "</dl>";
    if (!of.interval.empty()) out += fmt::format("<p>{}</p>", escaped(of.interval));
    out += "</section>\n";
  }
  if (pieces.more > 0) out += fmt::format("<p>and {} more rows in the table of jobs</p>\n", pieces.more);
  return "<div class=\"large\">\n" + out + "</div>\n";
}

std::string finding_id(std::string_view id, std::size_t number) { return fmt::format("result{}-{}", number, id); }

std::string linked(std::string_view id, std::size_t number) {
  return fmt::format(" <a href=\"#{}\">{}</a>", escaped(finding_id(id, number)), escaped(id));
}

// Meaning and documentation, of a finding that has a row.
std::string meaning_html(const result::Finding& finding) {
  for (const auto& row : result::findings::rows()) {
    if (row.id != finding.id || !result::findings::is_first(row)) continue;
    return fmt::format("<p>{}: {}</p>\n<p>Read docs/{}, or docs/reference/findings.md#{}.</p>\n", escaped(row.title),
                       escaped(row.why), escaped(row.section), escaped(result::findings::anchor(row.id)));
  }
  return "";
}

}  // namespace

std::string first_screen(const result::Run& run, std::span<const result::Run> repetitions, std::size_t number) {
  const auto pieces = headline::pieces(run, repetitions);
  if (!pieces) return "<p>Nothing was measured: there are no samples.</p>\n";
  std::string out = fmt::format("<div class=\"first\">\n{}<p class=\"measured\">{}</p>\n{}", badge(*pieces),
                                escaped(pieces->measured), large_html(*pieces));
  if (!pieces->evidence.empty())
    out += fmt::format("<p><b>{}</b> {}{}</p>\n", escaped(pieces->word), escaped(pieces->evidence),
                       pieces->id.empty() ? "" : linked(pieces->id, number));
  out += fmt::format("<p><b>next</b> {}</p>\n", escaped(pieces->next));
  return out + fmt::format("<div class=\"figures\" data-result=\"{}\" data-first=\"1\"></div>\n</div>\n", number);
}

std::string findings_html(const result::Run& run, std::size_t number) {
  std::string out;
  std::set<std::string> named;  // of several findings with an id, the first has the place that links lead to
  for (const auto& [first, jobs] : result::sums::ranked_findings(run)) {
    const auto& f = *first;
    const auto place = named.insert(f.id).second ? fmt::format(" id=\"{}\"", escaped(finding_id(f.id, number))) : "";
    const auto whose = result::sums::jobs_text(jobs);
    out +=
        fmt::format("<details open class=\"finding {0}\"{1}><summary><b>{0}</b> {2}{3} <code>{4}</code></summary>\n{5}",
                    name(f.severity), place, whose.empty() ? "" : escaped(whose) + ": ", escaped(f.evidence),
                    escaped(f.id), meaning_html(f));
    if (!f.remedy.empty()) out += fmt::format("<p><b>What to do</b>: {}</p>\n", escaped(f.remedy));
    out += "</details>\n";
  }
  return out.empty() ? "<p>No findings.</p>\n" : out;
}

}  // namespace fathom::report::page::tables
