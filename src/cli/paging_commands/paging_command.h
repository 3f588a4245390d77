// `fathom paging`: a breakdown of page-fault time. Also pmbench's command line, if the program is called by that name.
#pragma once
#include <span>
#include <string>

#include "paging_job/request.h"

namespace fathom::cli::paging_commands {

// Runs a parsed command line that measures, fathom's or pmbench's, and returns the exit status.
int carry_out_paging(paging_job::Action action, const paging_job::Command& command,
                     std::span<const std::string> called_with, const std::string& program);

int pmbench_command(std::span<const std::string> args);

// The actions, one file each. They return the exit status.
int paging_run_command(std::span<const std::string> args);
int paging_breakdown_command(std::span<const std::string> args);
int paging_learn_command(std::span<const std::string> args);
int paging_cleanup_command(std::span<const std::string> args);

}  // namespace fathom::cli::paging_commands
