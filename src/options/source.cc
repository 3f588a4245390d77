// From an error to the column of its caret.
#include "options/source.h"

namespace fathom::options {

base::SourcePlace place_of(const SourceLine& line, int column, std::size_t length) {
  base::SourcePlace p;
  p.file = line.file;
  p.line = line.line;
  p.column = column;
  p.line_text = line.text;
  p.length = length == 0 ? 1 : static_cast<int>(length);
  return p;
}

base::SourcePlace key_place(const Assignment& a) { return place_of(*a.line, a.key_column, a.key.size()); }

base::SourcePlace value_place(const Assignment& a) {
  if (!a.value) return key_place(a);
  return place_of(*a.line, a.value_column, a.value->size());
}

base::SourcePlace whole_place(const Assignment& a) {
  const int end =
      a.value ? a.value_column + static_cast<int>(a.value->size()) : a.key_column + static_cast<int>(a.key.size());
  return place_of(*a.line, a.key_column, static_cast<std::size_t>(end - a.key_column));
}

base::Error usage_error(std::string what, std::string cause, std::string help, std::optional<base::SourcePlace> place) {
  base::Error e;
  e.what = std::move(what);
  e.cause = std::move(cause);
  e.help = std::move(help);
  e.place = std::move(place);
  return e;
}

base::Error error_at(const Assignment& a, std::string_view text, const Problem& problem) {
  base::Error e;
  e.kind = problem.kind;
  e.what = a.key + (a.value ? std::string(a.joint) + *a.value : "") + ": " + problem.what;
  e.cause = problem.cause;
  e.help = problem.help;
  e.place = value_place(a);
  const bool as_written = a.value && *a.value == text;
  if (as_written && !problem.at.empty() && problem.at.data() >= text.data() &&
      problem.at.data() + problem.at.size() <= text.data() + text.size()) {
    const auto offset = static_cast<int>(problem.at.data() - text.data());
    e.place = place_of(*a.line, a.value_column + offset, problem.at.size());
  }
  return e;
}

}  // namespace fathom::options
