// Flags of `fathom nvme`'s subcommands: a table each, from which reading, help and errors come. A value follows as
// `--flag=value` or `--flag value`.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace fathom::cli {

struct Flag {
  std::string_view name;   // "--device"
  std::string_view value;  // what stands for its value in the help; empty: it takes none
  std::string_view help;
};

// One subcommand as its help describes it.
struct Manual {
  std::string_view command;  // "fathom nvme list"
  std::string_view usage;    // what follows the command
  std::string_view about;    // sentences, ending with a newline
  std::span<const Flag> flags;
};

// What was written: flags in order, and the words that belong to none.
struct Given {
  std::vector<std::pair<std::string_view, std::string>> flags;
  std::vector<std::string> words;
  bool help = false;

  bool has(std::string_view name) const { return last(name) != nullptr; }
  const std::string* last(std::string_view name) const;  // nullptr: not given
  std::vector<std::string> all(std::string_view name) const;
};

// ErrorKind::usage: an unknown flag (with the nearest one), a value missing or one too many.
base::Expected<Given> read_flags(const Manual& manual, std::span<const std::string> args);
std::string manual_text(const Manual& manual);

// A whole number between two bounds; `fallback` where the flag was not given.
base::Expected<std::int64_t> number_flag(const Given& given, std::string_view name, std::int64_t fallback,
                                         std::int64_t least, std::int64_t most);

// A subcommand from flags to exit status: help, mistakes and failures are shown here; what `carry_out` returns is
// printed.
int with_flags(const Manual& manual, std::span<const std::string> args,
               const std::function<base::Expected<std::string>(const Given&)>& carry_out);

base::Error usage_error(std::string what, std::string cause, std::string help);

// To standard output, to the last byte; the exit status, kIoError where it does not take it (a full disk).
int print_out(std::string_view text, std::string_view program);

}  // namespace fathom::cli
