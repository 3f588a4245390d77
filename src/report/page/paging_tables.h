// The tables of `fathom paging` on a page: how long accesses took, by what they met; and what of their time passed in
// slow ones. The page's plots draw the same numbers. Pure.
#pragma once
#include <string>

#include "result/paging.h"

namespace fathom::report::page {

std::string ns_text(double ns);
std::string accesses_html(const result::Paging& paging);

}  // namespace fathom::report::page
