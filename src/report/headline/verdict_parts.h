// What the verdicts of every kind of run are made of: lines of one look, numbers of three digits, and the end that they
// share, from "checks" to "next".
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/text/unit_text.h"
#include "report/headline/verdict.h"

namespace fathom::report::headline {

// Lines of the block: a word, and what it says.
struct Lines {
  std::size_t columns;
  std::string one(std::string_view word, std::string_view says) const;    // cut where the columns end
  std::string whole(std::string_view word, std::string_view says) const;  // gone on with on the next line
};

std::string time_text(double ns);  // "1.05 us"
// "28.1-81.3 us", "950 ns-1.05 us".
std::string range_text(double low, double high, std::span<const base::text::UnitStep> scale);

// False where jobs failed by something else: a file that is not there, a log on a full disk.
bool has_failed_ios(const result::Run& run);

// Whether the checks passed, the worst finding if there is one, what to do next. repeated: several runs stand behind it.
std::string checks_lines(const result::Run& run, const Lines& lines, bool repeated,
                         std::span<const result::Run> repetitions = {});

std::string paging_verdict(const result::Run& run, const Lines& lines);

}  // namespace fathom::report::headline
