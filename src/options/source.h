// The place of a piece of the user's text.
// Every option keeps its place until the job is complete, since some errors are detected only then.
// Example: an option of another engine than the next line selects.
// Thread rule: plain data and pure functions; any thread.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fathom::options {

// One line of a job file, or one argument of the command line. A value in the next argument is included.
struct SourceLine {
  std::string file;
  int line = 1;
  std::string text;
};

// `key` or `key=value` as written. Columns count from 1.
struct Assignment {
  std::string key;
  std::optional<std::string> value;
  std::shared_ptr<const SourceLine> line;
  int key_column = 1;
  int value_column = 1;
  // Text between key and value; " " after a letter.
  std::string_view joint = "=";
};

inline constexpr const char* kCommandLine = "<command line>";

base::SourcePlace place_of(const SourceLine& line, int column, std::size_t length);
base::SourcePlace key_place(const Assignment& a);
base::SourcePlace value_place(const Assignment& a);
// From the key to the end of the value.
base::SourcePlace whole_place(const Assignment& a);

// An error in a value. `at` is a view into the value: the part to underline (empty: all of it).
struct [[nodiscard]] Problem {
  std::string what;
  std::string cause;
  std::string help;
  std::string_view at;
  base::ErrorKind kind = base::ErrorKind::usage;
};
using Outcome = std::optional<Problem>;  // nullopt: success

// ErrorKind::usage.
base::Error usage_error(std::string what, std::string cause, std::string help,
                        std::optional<base::SourcePlace> place = std::nullopt);
// "bs=4x: not a size", with the place of the wrong part. `text` is the value after substitution.
base::Error error_at(const Assignment& a, std::string_view text, const Problem& problem);

}  // namespace fathom::options
