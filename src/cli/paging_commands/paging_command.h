// `fathom paging`: where a page fault's time goes. And pmbench's own command line, when called by its name.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::paging_commands {

int pmbench_command(std::span<const std::string> args);

// The actions, a file each, to the exit status.
int paging_run_command(std::span<const std::string> args);
int paging_breakdown_command(std::span<const std::string> args);
int paging_learn_command(std::span<const std::string> args);
int paging_cleanup_command(std::span<const std::string> args);

}  // namespace fathom::cli::paging_commands
