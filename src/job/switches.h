// The options of the program itself, beside those of jobs: rows of a Command.
#pragma once
#include <span>

#include "job/command.h"
#include "options/row.h"

namespace fathom::job {

// fio's, and fathom's own, which are accepted in fio mode too. A row with Status::not_built is fio's alone.
std::span<const options::Group> switches();
// nullptr: none of that name.
const options::Row* find_switch(std::string_view name);

}  // namespace fathom::job
