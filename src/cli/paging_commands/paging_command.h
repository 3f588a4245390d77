// `fathom paging`: where a page fault's time goes. And pmbench's own command line, when called by its name.
#pragma once
#include <span>
#include <string>

#include "paging_job/request.h"

namespace fathom::cli::paging_commands {

// What all command lines that measure, fathom's and pmbench's, come to: from a parsed line to the exit status.
int carry_out_paging(paging_job::Action action, const paging_job::Command& command,
                     std::span<const std::string> called_with, const std::string& program);

int pmbench_command(std::span<const std::string> args);

// The actions, a file each, to the exit status.
int paging_run_command(std::span<const std::string> args);
int paging_breakdown_command(std::span<const std::string> args);
int paging_learn_command(std::span<const std::string> args);
int paging_cleanup_command(std::span<const std::string> args);

}  // namespace fathom::cli::paging_commands
