// Red is for what must not be believed, yellow for what is to be read first, green for neither; the eight colours of
// every terminal, and bold for those who see no difference.
#include "cli/colour.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace fathom::cli {
namespace {

constexpr std::string_view kGreen = "\x1b[1;32m", kYellow = "\x1b[1;33m", kRed = "\x1b[1;31m", kEnd = "\x1b[0m";

// A line that begins with `before` and then `word`, and something behind it.
struct Row {
  std::string_view before, word, colour;
};
constexpr Row kRows[] = {
    {"  believe  ", "yes", kGreen}, {"  believe  ", "with care", kYellow},
    {"  believe  ", "no", kRed},    {"  ", "warning", kYellow},
    {"  ", "error", kRed},
};

bool holds(const char* value) { return value != nullptr && *value != '\0'; }

void add_line(std::string& out, std::string_view line) {
  for (const auto& row : kRows) {
    if (!line.starts_with(row.before) || !line.substr(row.before.size()).starts_with(row.word)) continue;
    const std::size_t end = row.before.size() + row.word.size();
    if (end < line.size() && line[end] != ' ' && line[end] != ':') continue;
    out.append(row.before).append(row.colour).append(row.word).append(kEnd).append(line.substr(end));
    return;
  }
  out += line;
}

}  // namespace

bool wants_colour(int fd) {
  if (holds(std::getenv("NO_COLOR"))) return false;
  const char* const force = std::getenv("CLICOLOR_FORCE");
  if (holds(force) && std::string_view(force) != "0") return true;
  const char* const term = std::getenv("TERM");
  return ::isatty(fd) != 0 && holds(term) && std::string_view(term) != "dumb";
}

std::string coloured(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    add_line(out, text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

}  // namespace fathom::cli
