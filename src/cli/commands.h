// The commands, a row each: what runs one, which rows read its line, and what it divides into. Overviews, mistakes in a
// name, the shells' completions and the man page come from these. Pure data.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options/manual.h"

namespace fathom::cli {

struct Command {
  std::string_view name, summary;
  int (*run)(std::span<const std::string> args) = nullptr;  // to the exit status; nullptr: not built, or actions only
  const options::Manual& (*manual)() = nullptr;             // nullptr: it has no options
  std::span<const Command> actions = {};
  std::string_view noun = {}, head = {}, tail = {};  // what actions are called, and the overview around their list
  std::string_view arguments = {};                   // that it takes, separated by spaces
};

std::span<const Command> commands();  // of `fathom`
const Command* find_command(std::span<const Command> commands, std::string_view name);

// A line each: name and summary.
std::string command_lines(std::span<const Command> commands);
// Of a command with actions: its options if it has any, its actions.
std::string overview(const Command& command);
// The action that args[0] names; overview, help and an unknown name are shown here.
int run_command_of(const Command& command, std::span<const std::string> args);

// The manuals of all, also as they are called by other names, in the order of the rows.
std::vector<options::Manual> manuals();

}  // namespace fathom::cli
