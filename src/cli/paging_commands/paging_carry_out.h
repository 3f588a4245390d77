// What all command lines that measure, fathom's and pmbench's, come to: from a parsed line to the exit status.
#pragma once
#include <span>
#include <string>

#include "paging_job/request.h"

namespace fathom::cli::paging_commands {

int carry_out_paging(paging_job::Action action, const paging_job::Command& command,
                     std::span<const std::string> called_with, const std::string& program);

}  // namespace fathom::cli::paging_commands
