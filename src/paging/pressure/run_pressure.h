// Pressure::set_up() on a machine and state directory that the caller chooses. Both must outlive the result.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "paging/pressure/machine.h"
#include "paging/pressure/pressure.h"

namespace fathom::paging::pressure {

base::Expected<std::unique_ptr<Pressure>> set_up_on(Machine& machine, const std::string& state,
                                                    const PressurePlan& plan, std::vector<result::Finding>& findings,
                                                    const std::function<bool()>& stop);
// Pressure::check() likewise.
base::Expected<void> check_on(Machine& machine, const std::string& state, const PressurePlan& plan);

}  // namespace fathom::paging::pressure
