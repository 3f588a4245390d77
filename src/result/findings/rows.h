// The findings as rows (rows.inc), and the text that a row produces from the values of a finding.
// To add a finding, add its row, the check that calls found(), and a test (ARCHITECTURE.md).
// Thread rule: pure functions; any thread. No errors.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result/finding.h"

namespace fathom::result::findings {

struct Row {
  std::string_view id;
  // A cause with separate texts; "": the only or the usual cause.
  std::string_view variant;
  Severity severity;  // the usual one; a check may lower it
  std::string_view title;
  std::string_view evidence;  // {name}, {name:FORMAT} of <format>, {name:bytes}
  std::string_view why;       // effect on the numbers
  std::string_view help;
  std::string_view section;  // of docs/; the heading follows the #
};

std::span<const Row> rows();
// True if at least one row has this id.
bool has_row(std::string_view id);
// True for the first row of its id, which has the title, why and section of the usual variant.
bool is_first(const Row& row);
// The row that made this finding; if none fits, as of an older result, the first of its id. nullptr: no such id.
const Row* row_of(const Finding& finding);
// Anchor of the finding in docs/reference/findings.md.
std::string anchor(std::string_view id);

// The result of a check. The row of the id turns it into text.
struct Found {
  std::string_view variant = "";
  std::string job = "";
  std::vector<FindingValue> values = {};
  std::optional<Effect> effect = {};
  std::optional<Severity> severity = {};  // nullopt: the row's severity
};
// The finding as text. A variant without a row gets the texts of the usual variant.
// An id without a row, or a name without a value, is a defect of fathom: a debug build asserts this.
Finding found(std::string_view id, Found what);

// `fathom help finding ID`: meaning and help, for each variant. Empty: no such row.
std::string explained(std::string_view id);
// The text of docs/reference/findings.md, and one line per finding for `fathom help finding`.
std::string reference_markdown();
std::string list_text();

// "{ios} I/Os" and ios = 3: "3 I/Os".
std::string filled(std::string_view pattern, std::span<const FindingValue> values);

}  // namespace fathom::result::findings
