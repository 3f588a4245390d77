// The options of `fathom paging`, a row each. Pure data. What they write to: PagingOptions and the parts of its plan.
#pragma once
#include <span>

#include "cli/paging_arguments/paging_options.h"
#include "options/row.h"

namespace fathom::cli::paging_arguments {

std::span<const options::Group> paging_rows();
// The same with the defaults of a breakdown, and without what only a run has.
std::span<const options::Group> breakdown_rows();

options::Targets targets_of(PagingOptions& o);

}  // namespace fathom::cli::paging_arguments
