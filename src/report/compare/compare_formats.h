// The text of `fathom compare` with the options of its terminal. Pure. Its other formats are rows of format_rows.inc.
#pragma once
#include <cstddef>
#include <string>

#include "result/commands/compare.h"

namespace fathom::report::compare {

struct CompareTextOptions {
  bool utf8 = true, plots = true;
  std::size_t width = 80;  // of a line
};
inline constexpr std::size_t kNarrowest = 80, kWidest = 120;
std::string text_of(const result::Compare& compare, const CompareTextOptions& options);

}  // namespace fathom::report::compare
