// The tables of `fathom paging` on a page: the durations of accesses by their class, and the share of time in slow
// accesses. The page's plots draw the same numbers. Pure.
#pragma once
#include <string>

#include "result/paging.h"

namespace fathom::report::page::tables {

std::string ns_text(double ns);
std::string accesses_html(const result::Paging& paging);
// The configurations of `fathom paging breakdown`, a column each; empty: another measurement.
std::string configurations_html(const result::Paging& paging);

}  // namespace fathom::report::page::tables
