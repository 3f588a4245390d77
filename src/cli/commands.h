// The commands, one row each: the function that runs it, the rows that parse its line, and its subcommands.
// The overviews, messages for a mistyped name, shell completions and the man page are generated from these rows.
// Thread rule: constants and pure functions, any thread; run_command_of(): the main thread.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options/manual.h"

namespace fathom::cli {

struct Command {
  std::string_view name, summary;
  // Returns the exit status. nullptr: not supported, or the command has only actions.
  int (*run)(std::span<const std::string> args) = nullptr;
  // nullptr: no options.
  const options::Manual& (*manual)() = nullptr;
  std::span<const Command> actions = {};
  // The word for an action, and the overview's text before and after the list of actions.
  std::string_view noun = {}, head = {}, tail = {};
  // Possible arguments, separated by spaces.
  std::string_view arguments = {};
};

std::span<const Command> commands();  // of `fathom`
// nullptr: no such command.
const Command* find_command(std::span<const Command> commands, std::string_view name);

// One line per command: name and summary.
std::string command_lines(std::span<const Command> commands);
// Help of a command with actions: its options, if any, and its actions.
std::string overview(const Command& command);
// Runs the action that args[0] names and returns its exit status.
// This function prints the overview, help, and the error for an unknown name.
int run_command_of(const Command& command, std::span<const std::string> args);

// The manuals of all commands in the order of the rows, also those of other program names.
std::vector<options::Manual> manuals();

}  // namespace fathom::cli
