// A command line as GNU programs take it, read by rows: `--map=64M`, `--map 64M`, `-m64`, `-m 64`, `-m=64`, letters
// without a value run together (`-ci`), words between. Every mistake has its place in the line and what to write
// instead. Source of the rules: getopt_long(3).
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "options/manual.h"

namespace fathom::options {

struct Written {
  const Row* row = nullptr;
  Spelling spelling = Spelling::dashes;
  Assignment assignment;
  bool beside = false;  // the row is one of Manual::beside
};

// What was written, in order, and the arguments that belong to no option.
struct Given {
  std::vector<Written> options;
  std::vector<std::string> arguments;
  std::vector<std::string> command;    // behind the options, where the manual has one
  bool help = false;                   // which ends the reading, but not that of fio's grammar
  std::vector<base::Error> not_built;  // of fio's grammar: what was written that is not

  // By the row's name, without dashes.
  bool has(std::string_view name) const { return last(name) != nullptr; }
  const std::string* last(std::string_view name) const;  // nullptr: not given
  std::vector<std::string> all(std::string_view name) const;
  // With the place of the option that its words begin with, if it has none.
  base::Error placed(base::Error error) const;
};

// Splits the line, then gives each value to its row. ErrorKind::usage: an unknown option (with the nearest one), a
// value missing, one too many or wrong; not_built: a row with that status.
base::Expected<Given> read_command_line(const Manual& manual, std::span<const std::string> args,
                                        const Targets& targets);

}  // namespace fathom::options
