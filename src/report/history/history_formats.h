// The texts of `fathom history list` and `fathom history check` on a canvas. No line is wider than it but rows of
// tables, which need 60 columns: columns are left out, and names are cut. Pure. Other formats are rows of
// format_rows.inc.
#pragma once
#include <string>

#include "report/formats.h"
#include "result/commands/history.h"

namespace fathom::report::history {

std::string text_of(const result::HistoryList& list, const Canvas& canvas);
std::string text_of(const result::HistoryCheck& check, const Canvas& canvas);
// Its first lines: what became worse.
std::string answer(const result::HistoryCheck& check, const Canvas& canvas);

}  // namespace fathom::report::history
