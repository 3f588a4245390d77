// The badge has the outcome of the checks; the rest is from the headline of the texts.
#include "report/page/tables/first_screen.h"

#include <fmt/format.h>

#include <set>

#include "report/headline/verdict.h"
#include "report/page/html.h"
#include "report/page/tables/blocks.h"
#include "result/findings/rows.h"
#include "result/sums/checks.h"
#include "result/sums/same_findings.h"

namespace fathom::report::page::tables {
namespace {

using result::sums::Outcome;

Tone tone_of(Outcome outcome) {
  constexpr Tone kTones[] = {Tone::good, Tone::unknown, Tone::fair, Tone::bad};
  return kTones[static_cast<std::size_t>(outcome)];
}

// The count of warnings is the word for them.
std::string outcome_words(const headline::Pieces& pieces) {
  switch (pieces.outcome) {
    case Outcome::passed:
      return "Checks passed";
    case Outcome::failed:
      return "Checks FAILED";
    case Outcome::not_checked:
      return "Not checked";
    case Outcome::warnings:
      break;
  }
  return pieces.checks;
}

std::string finding_id(std::string_view id, std::size_t number) { return fmt::format("result{}-{}", number, id); }

std::string linked(std::string_view id, std::size_t number) {
  return fmt::format(" <a href=\"#{}\">{}</a>", escaped(finding_id(id, number)), escaped(id));
}

// Meaning and documentation, of a finding that has a row.
std::string meaning_html(const result::Finding& finding) {
  const auto* const row = result::findings::row_of(finding);
  if (row == nullptr) return "";
  return fmt::format("<p>{}: {}</p>\n<p>Read docs/{}, or docs/reference/findings.md#{}.</p>\n", escaped(row->title),
                     escaped(row->why), escaped(row->section), escaped(result::findings::anchor(row->id)));
}

}  // namespace

std::string first_screen(const result::Run& run, std::span<const result::Run> repetitions, std::size_t number) {
  const auto pieces = headline::pieces(run, repetitions);
  if (!pieces) return "<p>Nothing was measured: there are no samples.</p>\n";
  std::string out = badge(tone_of(pieces->outcome), outcome_words(*pieces), pieces->reasons);
  out += fmt::format("<p class=\"measured\">{}</p>\n{}", escaped(pieces->measured),
                     large_html(pieces->numbers, pieces->more));
  if (!pieces->evidence.empty())
    out += fmt::format("<p><b>{}</b> {}{}</p>\n", escaped(pieces->word), escaped(pieces->evidence),
                       pieces->id.empty() ? "" : linked(pieces->id, number));
  out += labeled("next", pieces->next);
  return first(out + fmt::format("<div class=\"figures\" data-result=\"{}\" data-first=\"1\"></div>\n", number));
}

std::string findings_html(const result::Run& run, std::size_t number) {
  std::string out;
  std::set<std::string> named;  // of several findings with an id, the first has the place that links lead to
  for (const auto& [first, jobs] : result::sums::ranked_findings(run)) {
    const auto& f = *first;
    const auto place = named.insert(f.id).second ? fmt::format(" id=\"{}\"", escaped(finding_id(f.id, number))) : "";
    const auto whose = result::sums::jobs_text(jobs);
    std::string inside = meaning_html(f);
    if (!f.remedy.empty()) inside += fmt::format("<p><b>What to do</b>: {}</p>\n", escaped(f.remedy));
    out += folded_finding({f.severity, (whose.empty() ? "" : whose + ": ") + f.evidence, f.id, place}, inside);
  }
  return out.empty() ? "<p>No findings.</p>\n" : out;
}

}  // namespace fathom::report::page::tables
