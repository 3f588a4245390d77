// clean_up() of pressure.h on a machine and state directory of the caller's choice.
#pragma once
#include <string>
#include <vector>

#include "paging/pressure/machine.h"
#include "paging/pressure/pressure.h"

namespace fathom::paging {

std::vector<Leftover> clean_up_on(Machine& machine, const std::string& state, bool force = false);

}  // namespace fathom::paging
