// The text of `fathom sweep` with the options of its terminal. Pure. Its other formats are rows of format_rows.inc.
#pragma once
#include <cstddef>
#include <string>

#include "result/commands/sweep.h"

namespace fathom::report::sweep {

struct SweepTextOptions {
  bool utf8 = true, plots = true;
  std::size_t width = 80;  // of a line
};
std::string text_of(const result::Sweep& sweep, const SweepTextOptions& options);

}  // namespace fathom::report::sweep
