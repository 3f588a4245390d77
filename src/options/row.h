// One row per option. Rows parse every command line and job file.
// Help, man pages, completions, docs/reference/fio-options.md and the fuzz dictionary are generated from the same rows.
// None of these can therefore differ from what is parsed.
// A row is plain data except for `apply`.
// rows.h makes the usual kinds from a pointer to the member that receives the value.
// Thread rule: plain data and pure functions; any thread.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options/source.h"

namespace fathom::options {

inline constexpr std::string_view kSecret = "(secret)";

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
// hidden: accepted, but omitted from the help.
enum class Status : std::uint8_t { full, partial, ignored, not_built, hidden };

struct Choice {
  std::string_view name;
  int value;
  std::string_view help;
};

// The texts of a row.
// `names` has the name, aliases, and on a command line the placeholder of the value in the help.
// Examples: "bs blocksize", "mapsize m=MIB", "json". A name of one letter is a short option.
// A value in brackets may be omitted.
struct Texts {
  std::string_view names = {};
  // The default, as a user would write it; empty: no default.
  std::string_view fallback = {};
  std::string_view help = {};
  // The engines that have the option, separated by spaces; empty: every job has it.
  std::string_view engines = {};
  std::string_view note = {};
  Status status = Status::full;
  // For an unsupported option: values that request the existing behavior (job/values/neutral.h).
  std::string_view neutral = {};
};

struct Row;

// How option and value are joined: `bs=4k` in a job, `--map=4k`, `-m 4k`.
enum class Spelling : std::uint8_t { key, dashes, letter };

// A value as written. Messages name the option in the same spelling.
struct Value {
  const Row& row;
  std::string_view text;
  Spelling spelling = Spelling::key;
  unsigned kb_base = 1024;  // value of the suffix k

  Value part(std::string_view of_text) const { return {row, of_text, spelling, kb_base}; }
  std::string name() const;
  // The option with another value, for an example.
  std::string with(std::string_view other) const;
};

// The objects that rows may write to, one per type. A row finds its object by the class of its member.
// A struct with `using KeptIn = X` is in the bag `own` of the object of type X.
// At most 12 objects. A missing type is a defect of fathom and ends the program.
class Targets {
 public:
  template <class... T>
  explicit Targets(T&... objects) : known_{Known{tag<T>(), &objects}...} {
    static_assert(sizeof...(T) <= kMost);
  }
  template <class T>
  T& get() const {
    if constexpr (requires { typename T::KeptIn; }) {
      return get<typename T::KeptIn>().own.template get<T>();
    } else {
      for (const auto& known : known_)
        if (known.type == tag<T>()) return *static_cast<T*>(known.object);
      missing();
    }
  }

 private:
  static constexpr std::size_t kMost = 12;
  struct Known {
    const void* type = nullptr;
    void* object = nullptr;
  };
  [[noreturn]] static void missing();
  template <class T>
  static const void* tag() {
    static char of_type = 0;
    return &of_type;
  }
  std::array<Known, kMost> known_;
};

using Apply = Outcome (*)(const Targets&, const Value&);

struct Row {
  Texts texts;
  Type type = Type::text;
  std::uint64_t min = 0, max = 0;  // both 0: no range
  // Unit of a bare number, for a duration.
  std::uint64_t time_unit_ns = 0;
  bool per_direction = false;  // the value is read,write,trim
  std::span<const Choice> choices{};
  // nullptr: only the presence of the option counts.
  Apply apply = nullptr;
  // The choices are words of a larger language: completed, but not listed, and not the only values.
  bool examples = false;
  // A text value that may be omitted.
  bool may_stand_alone = false;
  // A password or key: results, messages and the stored command line have kSecret in its place.
  bool secret = false;

  std::string_view name() const;
  std::vector<std::string_view> names() const;  // the name and its aliases
  std::vector<std::string_view> aliases() const;
  std::string_view value() const;  // in the help: "MIB"; empty: none
  char letter() const;             // 0: no letter
  bool takes_value() const { return !value().empty(); }
  bool value_optional() const { return takes_value() && value()[0] == '['; }
  // May be written without a value.
  bool bare() const { return type == Type::flag || may_stand_alone; }
  bool of_engine(std::string_view engine) const;
  bool is_called(std::string_view name) const;  // name or alias
};

// Rows under a heading.
struct Group {
  std::string_view title;
  std::span<const Row> rows;
};

// All long names. An option that is not supported has no aliases here.
std::vector<std::string_view> long_names(std::span<const Group> groups);

// Rows with a name or alias for which fits(name) is true, in order.
template <class Fits>
std::vector<const Row*> rows_named(std::span<const Group> groups, Fits fits) {
  std::vector<const Row*> rows;
  for (const auto& group : groups)
    for (const auto& row : group.rows) {
      const auto names = row.names();
      if (std::any_of(names.begin(), names.end(), fits)) rows.push_back(&row);
    }
  return rows;
}

// True if `item` is one of `items`, which are separated by spaces.
bool has_item(std::string_view items, std::string_view item);
std::vector<std::string_view> items_in(std::string_view items);

}  // namespace fathom::options
