// What a machine lets fathom measure, on a page: what cannot be measured and the problems first, then all checks. Pure.
#pragma once
#include <cstddef>
#include <string>

#include "result/commands/doctor.h"

namespace fathom::report::page::tables {

std::string doctor_section(const result::Doctor& doctor, std::size_t number);

}  // namespace fathom::report::page::tables
