// The common parts of the verdicts of every kind of run: lines with the same format, numbers with three digits, and the
// common end, from "checks" to "next".
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/text/unit_text.h"
#include "report/headline/verdict.h"
#include "result/sums/checks.h"

namespace fathom::report::headline {

// Lines of the block: a word, and its text.
struct Lines {
  std::size_t columns;
  std::string one(std::string_view word, std::string_view says) const;    // cut at the last column
  std::string whole(std::string_view word, std::string_view says) const;  // continued on the next line
};

std::string time_text(double ns);  // "1.05 us"
// "28.1-81.3 us", "950 ns-1.05 us".
std::string range_text(double low, double high, std::span<const base::text::UnitStep> scale);

// False if jobs failed for another reason: a missing file, a log on a full disk.
bool has_failed_ios(const result::Run& run);

// "passed", "FAILED", "not checked", "2 warnings".
std::string outcome_text(const result::sums::Checks& checks);

// Whether the checks passed, the worst finding if there is one, the next step. repeated: the result is from several
// runs.
std::string checks_lines(const result::Run& run, const Lines& lines, bool repeated,
                         std::span<const result::Run> repetitions = {});
void add_checks(const result::Run& run, bool repeated, std::span<const result::Run> repetitions, Pieces& pieces);

std::string paging_verdict(const result::Run& run, const Lines& lines);
void add_paging(const result::Paging& paging, Pieces& pieces);
bool is_repeated(const result::Paging& paging);

}  // namespace fathom::report::headline
