// Red marks failed checks and errors, yellow warnings, green passed checks. The colors are among the eight that every
// terminal has. They are bold, so that color-blind readers see a difference too.
#include "cli/colour.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "report/headline/words.h"
#include "result/finding.h"

namespace fathom::cli {
namespace {

namespace headline = report::headline;

constexpr std::string_view kGreen = "\x1b[1;32m", kYellow = "\x1b[1;33m", kRed = "\x1b[1;31m", kEnd = "\x1b[0m";

struct Row {
  std::string_view word, colour;
};
constexpr Row kOutcomes[] = {{headline::kPassed, kGreen}, {headline::kFailed, kRed}, {"", kYellow}};
constexpr Row kFindings[] = {{name(result::Severity::warning), kYellow}, {name(result::Severity::error), kRed}};

bool holds(const char* value) { return value != nullptr && *value != '\0'; }

// "  checks   2 warnings: ...": colors the words before the colon. "  warning ...": colors the first word.
void add_line(std::string& out, std::string_view line) {
  constexpr std::size_t kIndent = 2;
  const auto add = [&](std::size_t begin, std::size_t length, std::string_view colour) {
    out.append(line.substr(0, begin)).append(colour).append(line.substr(begin, length)).append(kEnd);
    out.append(line.substr(begin + length));
  };
  const auto word = line.substr(std::min(kIndent, line.size()), line.find_first_of(" \n", kIndent) - kIndent);
  const bool indented = line.starts_with("  ");
  if (indented && word == headline::kChecks) {
    const std::size_t begin = line.find_first_not_of(' ', kIndent + word.size()), end = line.find(':');
    for (const auto& row : kOutcomes)
      if (end != line.npos && begin < end && line.substr(begin).starts_with(row.word))
        return add(begin, end - begin, row.colour);
  }
  for (const auto& row : kFindings)
    if (indented && word == row.word) return add(kIndent, word.size(), row.colour);
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
