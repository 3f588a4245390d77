// `fathom history`: the runs that `--keep` stored in an SQLite file (history/store.h). One file per action.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::history_commands {

int history_list_command(std::span<const std::string> args);
int history_show_command(std::span<const std::string> args);
int history_add_command(std::span<const std::string> args);
int history_tag_command(std::span<const std::string> args);
int history_compare_command(std::span<const std::string> args);
int history_check_command(std::span<const std::string> args);
int history_delete_command(std::span<const std::string> args);

}  // namespace fathom::cli::history_commands
