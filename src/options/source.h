// Where a piece of the user's text stands. Every option keeps its place until the job is complete, because some
// mistakes only show then (an option of another engine than the one that the next line names).
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fathom::options {

// One line of a job file, or one argument (with its value, if that is the next one) of the command line.
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
  std::string_view joint = "=";  // " " behind a letter
};

inline constexpr const char* kCommandLine = "<command line>";

base::SourcePlace place_of(const SourceLine& line, int column, std::size_t length);
base::SourcePlace key_place(const Assignment& a);
base::SourcePlace value_place(const Assignment& a);
base::SourcePlace whole_place(const Assignment& a);  // from the key to the end of the value

// What is wrong with a value. `at` is a view into the value: the part to underline (empty: all of it).
struct [[nodiscard]] Problem {
  std::string what;
  std::string cause;
  std::string help;
  std::string_view at;
  base::ErrorKind kind = base::ErrorKind::usage;
};
using Outcome = std::optional<Problem>;  // nothing: it went well

base::Error usage_error(std::string what, std::string cause, std::string help,
                        std::optional<base::SourcePlace> place = std::nullopt);
// "bs=4x: not a size" with the place of the offending part. `text` is the value that the reader saw (after
// substitution).
base::Error error_at(const Assignment& a, std::string_view text, const Problem& problem);

}  // namespace fathom::options
