// The text of `fathom sweep` on a canvas. Pure. Its other formats are rows of format_rows.inc.
#pragma once
#include <string>

#include "report/formats.h"
#include "result/commands/sweep.h"

namespace fathom::report::sweep {

// No line is wider than the canvas but rows of the table, which need 80 columns, and the next command on a canvas that
// is no terminal.
std::string text_of(const result::Sweep& sweep, const Canvas& canvas);
// Its first lines: what ran, limit and knee, the next command.
std::string answer(const result::Sweep& sweep, const Canvas& canvas);

}  // namespace fathom::report::sweep
