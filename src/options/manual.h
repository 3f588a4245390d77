// A command, as its help, man page and shell completion describe it: sentences, and the rows that parse it.
// Thread rule: plain data and pure functions; any thread. No errors.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "options/row.h"

namespace fathom::options {

// How option names and values are read.
// exact: complete names. A word that begins with `--` is not a value, and no value is empty.
// command: the same, except for values; the first word that is no option begins a command with its options.
// getopt: names may be shortened, any word is a value, and messages name letters.
// fio: as getopt_long_only(3), with one or two dashes and shortened names.
//   Rows of `beside` are options of a job. They are passed on and not parsed.
//   All unsupported options are reported at once.
enum class Grammar : std::uint8_t { exact, command, getopt, fio };

struct Manual {
  std::string_view command;     // "fathom nvme list"
  std::string_view usage = {};  // text after the command
  std::string_view about = {};  // sentences, ending with a newline
  std::span<const Group> groups = {};
  std::string_view after = {};  // sentences after the options
  Grammar grammar = Grammar::exact;
  // Options of another table that the command also accepts. Its help does not list them.
  std::span<const Group> beside = {};
};

// Help of a row: its text, its choices, its default.
std::string help_of(const Row& row);
// One line per option, wrapped, under the headings of the groups.
std::string option_lines(std::span<const Group> groups);
std::string help_text(const Manual& manual);
// The same for a man page, in scdoc(5). scdoc_escaped() removes the meaning of its special characters.
std::string scdoc_escaped(std::string_view text);
// The row's choices as a list, one per line, after a line that has begun.
std::string scdoc_values(const Row& row);
// Only the options, for a page about one command.
std::string scdoc_options(const Manual& manual);
// With heading, usage and sentences, for a page about several commands.
std::string scdoc_section(const Manual& manual);

}  // namespace fathom::options
