// One row an option. Every command line and job file is read by rows, and help, man pages, completions, docs/reference/fio-options.md
// and the fuzz dictionary are printed from them, so that none of these can disagree with what is understood. A row is
// plain data but for `apply`; rows.h makes the usual kinds from a pointer to the member that the value goes to.
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
// hidden: understood, and left out of the help.
enum class Status : std::uint8_t { full, partial, ignored, not_built, hidden };

struct Choice {
  std::string_view name;
  int value;
  std::string_view help;
};

// The texts of a row. `names` is the name, other names for it, and on a command line what stands for the value in the
// help: "bs blocksize", "mapsize m=MIB", "json". A name of one letter is a short option. A value in brackets may be
// left out.
struct Texts {
  std::string_view names = {};
  std::string_view fallback = {};  // the default, as one would write it; empty: none
  std::string_view help = {};
  std::string_view engines = {};  // that have it, separated by spaces; empty: every job has it
  std::string_view note = {};
  Status status = Status::full;
  // Of one that is not built: values that ask for what is done anyway (job/values/neutral.h).
  std::string_view neutral = {};
};

struct Row;

// How an option and its value are joined: `bs=4k` in a job, `--map=4k`, `-m 4k`.
enum class Spelling : std::uint8_t { key, dashes, letter };

// A value as it was written. Messages name the option as it is spelled there.
struct Value {
  const Row& row;
  std::string_view text;
  Spelling spelling = Spelling::key;
  unsigned kb_base = 1024;  // what k counts

  Value part(std::string_view of_text) const { return {row, of_text, spelling, kb_base}; }
  std::string name() const;
  std::string with(std::string_view other) const;  // the option with another value, for an example
};

// The objects that rows may write to, one of each type: a row finds its own by the type that its member belongs to. A
// struct that says `using KeptIn = X` lies in the bag `own` of the X among them.
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
  std::uint64_t time_unit_ns = 0;  // what a bare number of a duration counts
  bool per_direction = false;      // read,write,trim
  std::span<const Choice> choices{};
  Apply apply = nullptr;  // nullptr: that it was written is all there is to know
  bool examples = false;  // the choices are words of a larger language: completed, but neither listed nor all there is
  bool may_stand_alone = false;  // a text that may be left out

  std::string_view name() const;
  std::vector<std::string_view> names() const;  // the name and its aliases
  std::vector<std::string_view> aliases() const;
  std::string_view value() const;  // in the help: "MIB"; empty: none
  char letter() const;             // 0: none
  bool takes_value() const { return !value().empty(); }
  bool value_optional() const { return takes_value() && value()[0] == '['; }
  bool bare() const { return type == Type::flag || may_stand_alone; }  // may stand without a value
  bool of_engine(std::string_view engine) const;
  bool is_called(std::string_view name) const;  // name or alias
};

// Rows under a heading.
struct Group {
  std::string_view title;
  std::span<const Row> rows;
};

// All long names, but of what is not built no aliases.
std::vector<std::string_view> long_names(std::span<const Group> groups);

// Rows of which a name fits, in order.
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

// Whether `item` is one of `items`, which are separated by spaces.
bool has_item(std::string_view items, std::string_view item);
std::vector<std::string_view> items_in(std::string_view items);

}  // namespace fathom::options
