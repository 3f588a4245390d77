// A command as its help, its man page and the shell's completion describe it: sentences, and the rows that read it.
// Pure.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "options/row.h"

namespace fathom::options {

// exact: whole names; a word that begins with `--` is no value, and none is empty. command: the same, but for values,
// and the first word that is no option begins a command with options of its own. getopt: names may be cut short, any
// word is a value, and messages name letters. fio: as getopt_long_only(3), one dash or two and names cut short; rows of
// `beside` are options of a job, which are not read but handed on; all that is not built is told at once.
enum class Grammar : std::uint8_t { exact, command, getopt, fio };

struct Manual {
  std::string_view command;     // "fathom nvme list"
  std::string_view usage = {};  // what follows the command
  std::string_view about = {};  // sentences, ending with a newline
  std::span<const Group> groups = {};
  std::string_view after = {};  // sentences behind the options
  Grammar grammar = Grammar::exact;
  std::span<const Group> beside = {};  // options of another table that it takes as well; not in its help
};

// What a row's help says: its words, its choices, its default.
std::string help_of(const Row& row);
// A line for each option under the headings of their groups, wrapped.
std::string option_lines(std::span<const Group> groups);
std::string help_text(const Manual& manual);
// The same for a man page, in scdoc(5); the first without meaning for its special characters.
std::string scdoc_escaped(std::string_view text);
std::string scdoc_values(const Row& row);         // its choices as a list, a line each, after a line that has begun
std::string scdoc_options(const Manual& manual);  // the options alone, for a page of the command
std::string scdoc_section(const Manual& manual);  // with heading, usage and sentences, for a page of several commands

}  // namespace fathom::options
