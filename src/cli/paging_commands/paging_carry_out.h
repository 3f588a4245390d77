// What both command lines, fathom's and pmbench's, come to: a run with its repetitions, from checks to exit status.
#pragma once
#include <span>
#include <string>

#include "paging_job/request.h"

namespace fathom::cli::paging_commands {

int carry_out_paging(paging_job::Command command, std::span<const std::string> called_with, const std::string& program);

}  // namespace fathom::cli::paging_commands
