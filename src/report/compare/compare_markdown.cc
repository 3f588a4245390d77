// For a summary of CI: the verdict as a heading, conditions, what differs, and a table. Names are escaped where Markdown
// would read them.
#include <fmt/format.h>

#include "report/compare/compare_words.h"
#include "report/formats.h"
#include "report/parts/utf8.h"

namespace fathom::report {
namespace compare {
namespace {

using parts::markdown_text;
using result::Compare;

std::string rows(const Compare& compare) {
  std::string out =
      "| metric | side | A | side's | change | interval | verdict | p |\n|---|---|--:|--:|--:|--:|---|--:|\n";
  for (const auto& metric : compare.metrics)
    for (const auto& change : metric.changes) {
      const auto typical = [&](const std::string& side) {
        const auto value = typical_of(metric, side);
        return value ? value_text(*value, metric.unit) : std::string("-");
      };
      out += fmt::format(
          "| {} | {} | {} | {} | {} | {} | {} | {:.2g} |\n",
          metric.primary ? "**" + markdown_text(metric_text(metric)) + "**" : markdown_text(metric_text(metric)),
          markdown_text(change.side), markdown_text(compare.sides.empty() ? "-" : typical(compare.sides[0].name)),
          markdown_text(typical(change.side)), change.percent ? percent_text(*change.percent) + "%" : "-",
          interval_text(change).empty() ? "-" : interval_text(change) + "%", name(change.told), change.p_corrected);
    }
  return out;
}

std::string items(const Compare& compare) {
  std::string out;
  for (const auto& condition : compare.conditions)
    out += fmt::format("- **{}**: {} of {}: {}\n", name(condition.outcome), markdown_text(condition.written),
                       markdown_text(condition.side), markdown_text(condition.text));
  for (const auto& side : compare.sides)
    out += fmt::format("- {}: {}, {}\n", markdown_text(side.name), markdown_text(side.files), side_text(side));
  for (const auto& left_out : compare.left_out)
    out += fmt::format("- omitted: {}: {}\n", markdown_text(left_out.file), markdown_text(left_out.what));
  for (const auto& difference : compare.differences)
    out += fmt::format("- differs: {}\n", markdown_text(difference_text(compare, difference)));
  for (const auto& warning : compare.warnings) out += fmt::format("- note: {}\n", markdown_text(warning));
  return out;
}

}  // namespace
}  // namespace compare

std::string compare_markdown(const result::Compare& compare) {
  std::string out;
  for (const auto& sentence : compare::failed_checks(compare))
    out += fmt::format("**{}**\n\n", parts::markdown_text(sentence));
  for (const auto& sentence : compare::verdicts(compare))
    out += fmt::format("### {}\n\n", parts::markdown_text(sentence));
  if (const auto names = compare::unlike(compare); !names.empty())
    out += fmt::format("**The jobs differ: {}.**\n\n", parts::markdown_text(names));
  return out + compare::items(compare) + "\n" + compare::rows(compare);
}

}  // namespace fathom::report
