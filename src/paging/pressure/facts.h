// What the machine is set to while the run lasts, read back from it and not from the plan. Thread rule: main thread.
#pragma once
#include "paging/plan.h"
#include "paging/pressure/machine.h"
#include "paging/pressure/setup.h"
#include "result/paging.h"

namespace fathom::paging {

result::PagingPressure pressure_facts(Machine& machine, const PressurePlan& plan, const Made& made);

}  // namespace fathom::paging
