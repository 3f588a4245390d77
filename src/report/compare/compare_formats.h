// The text of `fathom compare` on a canvas. Pure. Its other formats are rows of format_rows.inc.
#pragma once
#include <cstddef>
#include <string>

#include "report/formats.h"
#include "result/commands/compare.h"

namespace fathom::report::compare {

inline constexpr std::size_t kNarrowest = 40, kWidest = 120;
// No line is wider than the canvas but rows of the table, which need 80 columns. Without plots below 60 columns.
std::string text_of(const result::Compare& compare, const Canvas& canvas);
// Its first lines: verdicts, and why they may not hold.
std::string answer(const result::Compare& compare, const Canvas& canvas);

}  // namespace fathom::report::compare
