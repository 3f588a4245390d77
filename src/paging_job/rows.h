// The options of `fathom paging`, one per row. Pure data. They write to a Command and the parts of its plan.
#pragma once
#include <span>

#include "options/row.h"
#include "paging_job/request.h"

namespace fathom::paging_job {

std::span<const options::Group> run_rows();
// The same rows with the defaults of a breakdown, without the options that only a run has.
std::span<const options::Group> breakdown_rows();

options::Targets targets_of(Command& command);

}  // namespace fathom::paging_job
