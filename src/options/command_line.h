// Parses a command line as GNU programs do, by rows.
// Accepted forms: `--map=64M`, `--map 64M`, `-m64`, `-m 64`, `-m=64`, joined letters without a value (`-ci`), words
// between. Every error has its place in the line, and states what to write instead.
// Source of the rules: getopt_long(3).
// Thread rule: pure; any thread.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "options/manual.h"

namespace fathom::options {

// One option as written.
struct Written {
  const Row* row = nullptr;
  Spelling spelling = Spelling::dashes;
  Assignment assignment;
  bool beside = false;  // the row is from Manual::beside
};

// The options in the order of the line, and the arguments that belong to no option.
struct Given {
  std::vector<Written> options;
  std::vector<std::string> arguments;
  std::vector<std::string> command;  // after the options, if the manual has a command
  // Help or version was requested. This ends the reading, except in fio's grammar.
  bool help = false;
  // fio's grammar: the options written that fathom does not support.
  std::vector<base::Error> not_built;

  // Lookup by the row's name, without dashes. last() returns the last value; nullptr: not given.
  bool has(std::string_view name) const { return last(name) != nullptr; }
  const std::string* last(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;
  // Adds the place of the option with which the error's text begins, if the error has no place.
  base::Error placed(base::Error error) const;
};

// Splits the line, then passes each value to its row, which writes to `targets`.
// ErrorKind::usage: unknown option (help: the nearest one), or a value that is missing, superfluous or wrong.
// ErrorKind::not_built: a row with that status. In fio's grammar these go to Given::not_built.
base::Expected<Given> read_command_line(const Manual& manual, std::span<const std::string> args,
                                        const Targets& targets);

}  // namespace fathom::options
