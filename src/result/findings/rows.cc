// The rows of findings, and the texts from their patterns.
#include "result/findings/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "base/text/unit_text.h"

namespace fathom::result::findings {
namespace {

constexpr Row kRows[] = {
#define FINDING(id, variant, severity, title, evidence, why, help, section) \
  {id, variant, Severity::severity, title, evidence, why, help, section},
#include "result/findings/rows.inc"
#include "result/findings/rows_clock.inc"
#include "result/findings/rows_learn.inc"
#include "result/findings/rows_machine.inc"
#include "result/findings/rows_paging.inc"
#include "result/findings/rows_sweep.inc"
#undef FINDING
};

const Row* row_of(std::string_view id, std::string_view variant) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& each) { return each.id == id && each.variant == variant; });
  return row == std::end(kRows) ? nullptr : &*row;
}

// The first row of an id: the usual variant, or the first of several.
const Row* row_of_id(std::string_view id) {
  return std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& each) { return each.id == id; });
}

std::string number_text(double number, std::string_view format) {
  if (format == "bytes") return base::text::unit_text(number, base::text::kBytesThree);
  if (!format.empty()) return fmt::format(fmt::runtime(fmt::format("{{:{}}}", format)), number);
  constexpr double kMostExact = 1e15;
  const bool whole = std::floor(number) == number && std::abs(number) < kMostExact;
  return whole ? fmt::format("{:.0f}", number) : fmt::format("{:.4g}", number);
}

std::string value_text(std::string_view name, std::string_view format, std::span<const FindingValue> values) {
  const auto value =
      std::find_if(values.begin(), values.end(), [&](const FindingValue& each) { return each.name == name; });
  assert(value != values.end() && "a row of findings names a value that its check does not give");
  if (value == values.end()) return "?";
  return value->number ? number_text(*value->number, format) : value->text;
}

// "{share_percent:.1f} %" is "{share_percent} %" for readers.
std::string without_formats(std::string_view pattern) {
  std::string out;
  bool in_name = false, in_format = false;
  for (const char c : pattern) {
    in_name = c == '{' || (in_name && c != '}');
    in_format = in_name && (in_format || c == ':');
    if (!in_format) out += c;
  }
  return out;
}

}  // namespace

std::span<const Row> rows() { return kRows; }
bool has_row(std::string_view id) { return row_of_id(id) != std::end(kRows); }

namespace {

// Whether a text has the words of a pattern, in their order.
bool fits(std::string_view pattern, std::string_view text) {
  for (bool begins = true; !pattern.empty(); begins = false) {
    const auto words = pattern.substr(0, pattern.find('{'));
    const auto at = text.find(words);
    if (at == std::string_view::npos || (begins && at != 0)) return false;
    text.remove_prefix(at + words.size());
    const auto end = pattern.find('}');
    pattern.remove_prefix(end == std::string_view::npos ? pattern.size() : end + 1);
  }
  return true;
}

}  // namespace

const Row* row_of(const Finding& finding) {
  const auto made = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& row) {
    return row.id == finding.id && fits(row.evidence, finding.evidence);
  });
  if (made != std::end(kRows)) return &*made;
  return has_row(finding.id) ? row_of_id(finding.id) : nullptr;
}

bool is_first(const Row& row) { return &row == row_of_id(row.id); }

// The anchor that Markdown renderers make from the heading. They keep letters, digits, dashes and underscores.
std::string anchor(std::string_view id) {
  std::string out;
  for (const char c : id)
    if (c != '.') out += c;
  return out;
}

std::string filled(std::string_view pattern, std::span<const FindingValue> values) {
  std::string out;
  while (!pattern.empty()) {
    const auto open = std::min(pattern.find('{'), pattern.size());
    out += pattern.substr(0, open);
    pattern.remove_prefix(open);
    if (pattern.empty()) break;
    const auto inside = pattern.substr(1, pattern.find('}') - 1);
    const auto colon = std::min(inside.find(':'), inside.size());
    out += value_text(inside.substr(0, colon), inside.substr(std::min(colon + 1, inside.size())), values);
    pattern.remove_prefix(inside.size() + 2);
  }
  return out;
}

namespace {

bool is_like(const Row& row, const Row& first) {
  return row.title == first.title && row.why == first.why && row.severity == first.severity;
}

}  // namespace

std::string explained(std::string_view id) {
  std::string out;
  for (const auto& row : kRows) {
    if (row.id != id) continue;
    const Row& first = *row_of_id(id);
    if (out.empty()) out = fmt::format("{} ({}): {}\n\n{}\n", row.id, name(row.severity), row.title, row.why);
    if (!is_like(row, first)) out += fmt::format("\n{} ({})\n{}\n", row.title, name(row.severity), row.why);
    out += fmt::format("\n  evidence  {}\n  help      {}\n  see       docs/{}\n", without_formats(row.evidence),
                       row.help, row.section);
  }
  return out;
}

std::string list_text() {
  std::string out;
  for (const auto& row : kRows)
    if (is_first(row)) out += fmt::format("{:<26} {:<8} {}\n", row.id, name(row.severity), row.title);
  return out;
}

namespace {

// One entry of the list. If its title, severity or effect differs from that of the first form, the entry begins with
// its own.
std::string form_markdown(const Row& row, const Row& first) {
  const std::string own =
      is_like(row, first) ? "" : fmt::format("*{}* ({}). {}\n  ", row.title, name(row.severity), row.why);
  return fmt::format("- {}{}\n  Help: {}.\n", own, without_formats(row.evidence), row.help);
}

}  // namespace

std::string reference_markdown() {
  std::string out =
      "# Findings\n\n"
      "The checks of a run report what they find as findings. `fathom help finding ID` prints one. Each section has "
      "the "
      "severity, the title and the effect on the numbers, then the texts that a report can show, each with its help. A "
      "text for a special case begins with a separate title, severity and effect. `{name}` stands for a value, which "
      "JSON has in `values`. This page is generated from the program.\n";
  for (const auto& first : kRows) {
    if (!is_first(first)) continue;
    out += fmt::format("\n## `{}`\n\n{}: {}. {} See [{}](../{}).\n\n", first.id, name(first.severity), first.title,
                       first.why, first.section.substr(0, first.section.find('#')), first.section);
    for (const auto& row : kRows)
      if (row.id == first.id) out += form_markdown(row, first);
  }
  return out;
}

Finding found(std::string_view id, Found what) {
  const Row* row = row_of(id, what.variant);
  if (row == nullptr) row = row_of(id, "");
  assert(row != nullptr && "a finding without a row");
  if (row == nullptr) return {std::string(id), Severity::warning, std::move(what.job), "", "", {}, {}};
  Finding finding{std::string(id),
                  what.severity.value_or(row->severity),
                  std::move(what.job),
                  filled(row->evidence, what.values),
                  filled(row->help, what.values),
                  std::move(what.values),
                  what.effect};
  return finding;
}

}  // namespace fathom::result::findings
