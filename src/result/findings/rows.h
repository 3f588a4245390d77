// The findings as rows (rows.inc), and the text that a row makes of a finding's values. Adding a finding is its row, the
// check that calls found(), and a test (ARCHITECTURE.md). Pure, any thread.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result/finding.h"

namespace fathom::result::findings {

struct Row {
  std::string_view id;
  std::string_view variant;  // a cause that has its own words; "": the only or the usual one
  Severity severity;         // usual one; a check may lower it
  std::string_view title;
  std::string_view evidence;  // {name}, {name:FORMAT} of <format>, {name:bytes}
  std::string_view why;       // what it does to the numbers
  std::string_view help;
  std::string_view section;  // of docs/, with the heading behind #
};

std::span<const Row> rows();
bool has_row(std::string_view id);
bool is_first(const Row& row);            // of its id: title, why and section of the usual variant
std::string anchor(std::string_view id);  // of docs/reference/findings.md

// What a check has found; the id's row makes its texts.
struct Found {
  std::string_view variant = "";
  std::string job = "";
  std::vector<FindingValue> values = {};
  std::optional<Effect> effect = {};
  std::optional<Severity> severity = {};  // nullopt: the row's
};
// A variant without a row has the words of the usual one. An id without a row, or a name without a value, is our bug.
Finding found(std::string_view id, Found what);

// `fathom help finding ID`: what it means and what to do, of each variant. Empty: there is no such row.
std::string explained(std::string_view id);
// docs/reference/findings.md, and a line each for `fathom help finding`.
std::string reference_markdown();
std::string list_text();

// "{ios} I/Os" and ios = 3: "3 I/Os".
std::string filled(std::string_view pattern, std::span<const FindingValue> values);

}  // namespace fathom::result::findings
