// One character counts as one column: every printed character has this width.
#include "base/text/wrapped.h"

#include <algorithm>

namespace fathom::base::text {
namespace {

constexpr std::size_t kDeeper = 4;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// The length of the first line: up to the last space within `columns`, otherwise up to the first space after it. A text
// without a space is one line. indent: leading spaces, which are no break positions.
std::size_t end_of_line(std::string_view text, std::size_t indent, std::size_t columns) {
  std::size_t end = std::string_view::npos;
  for (std::size_t at = text.find(' ', indent); at != std::string_view::npos; at = text.find(' ', at + 1)) {
    const bool fits = columns_of(text.substr(0, at)) <= columns;
    if (fits || end == std::string_view::npos) end = at;
    if (!fits) break;
  }
  return end == std::string_view::npos ? text.size() : end;
}

void add_line(std::string& out, std::string_view line, std::size_t columns) {
  std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::string deeper(std::min(indent + kDeeper, columns / 2), ' ');
  std::string rest(line);
  while (columns_of(rest) > columns) {
    const std::size_t end = end_of_line(rest, indent, columns);
    if (end == rest.size()) break;
    out.append(rest, 0, end);
    out += '\n';
    const std::size_t next = std::min(rest.find_first_not_of(' ', end), rest.size());
    rest.replace(0, next, deeper);
    indent = deeper.size();
  }
  out += rest;
}

}  // namespace

std::size_t columns_of(std::string_view line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), begins_character));
}

std::string_view cut_at(std::string_view line, std::size_t columns) {
  std::size_t end = 0, column = 0;
  while (end < line.size() && (!begins_character(line[end]) || ++column <= columns)) ++end;
  return line.substr(0, end);
}

std::string wrapped(std::string_view text, std::size_t columns) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    add_line(out, text.substr(0, end), columns);
    if (end == text.size()) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace fathom::base::text
