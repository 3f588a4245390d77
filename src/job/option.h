// One row an option. Parser, help, man page, docs/compat.md, job echo and fuzz dictionary all come from these rows; to
// add an option is to add a row to one of the options_*.cc files.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "job/draft.h"

namespace fathom::job {

enum class Type : std::uint8_t {
  text,
  flag,
  boolean,
  count,
  bytes,
  bytes_or_percent,
  duration,
  real,
  choice,
  range,
  list
};
enum class Status : std::uint8_t { full, partial, ignored };

struct Choice {
  std::string_view name;
  int value;
  std::string_view help;
};

struct Option;
using Apply = Outcome (*)(Draft&, const Option&, std::string_view value);

// The words of a row. `engines` is empty for options that every job has, else the engines that have it, separated by
// spaces.
struct Words {
  std::string_view name = {};
  std::array<std::string_view, 2> aliases = {};
  std::string_view fallback = {};  // the default, as one would write it; empty: none
  std::string_view help = {};
  Status status = Status::full;
  std::string_view note = {};
  std::string_view engines = {};
};

struct Option {
  Words words;
  Type type = Type::text;
  std::uint64_t min = 0, max = 0;  // both 0: no range
  std::uint64_t time_unit_ns = 0;  // what a bare number of a duration counts
  bool per_direction = false;      // read,write,trim
  std::span<const Choice> choices{};
  Apply apply = nullptr;

  std::string_view name() const { return words.name; }
  bool bare() const { return type == Type::flag; }  // may stand without a value
  bool of_engine(std::string_view engine) const;
  bool is_called(std::string_view name) const;  // name or alias
};

struct OptionGroup {
  std::string_view title;
  std::span<const Option> options;
};

// Whether `word` is one of `words`, which are separated by spaces.
bool has_word(std::string_view words, std::string_view word);

// All groups, in the order of the documentation.
std::span<const OptionGroup> option_groups();
// nullptr: not an option of fathom.
const Option* find_option(std::string_view name);

// The groups, one file each.
std::span<const Option> description_options();
std::span<const Option> target_options();
std::span<const Option> io_options();
std::span<const Option> block_options();
std::span<const Option> depth_options();
std::span<const Option> time_options();
std::span<const Option> rate_options();
std::span<const Option> process_options();
std::span<const Option> verify_options();
std::span<const Option> measure_options();
std::span<const Option> engine_options();
std::span<const Option> nvme_options();
std::span<const Option> accepted_options();

}  // namespace fathom::job
