// Rendering errors.
#include "cli/show_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/text/printable.h"
#include "base/text/wrapped.h"
#include "cli/terminal.h"
#include "options/source.h"
#include "session/paging_command.h"

namespace fathom::cli {
namespace {

using base::text::printable;

// One line; tabs stay tabs.
std::string shown_line(std::string_view line) {
  std::string out;
  for (std::size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t')) {
    out += printable(line.substr(0, tab)) + "\t";
    line.remove_prefix(tab + 1);
  }
  return out + printable(line);
}

// The user's line and the caret under it. Tabs stay tabs in both, so that the caret meets its column.
std::string quoted_line(const base::SourcePlace& place) {
  const std::string_view line = place.line_text;
  const auto before = line.substr(0, static_cast<std::size_t>(std::max(1, place.column)) - 1);
  std::string indent;
  for (const char c : shown_line(before))
    if (c == '\t' || (static_cast<unsigned char>(c) & 0xC0) != 0x80) indent += c == '\t' ? '\t' : ' ';
  if (before.size() == line.size()) indent.resize(static_cast<std::size_t>(std::max(1, place.column)) - 1, ' ');
  const auto length = static_cast<std::size_t>(std::max(1, place.length));
  const auto marked = base::text::columns_of(printable(line.substr(before.size(), length)));
  return fmt::format("    {}\n    {}{}\n", shown_line(line), indent, std::string(marked > 0 ? marked : length, '^'));
}

// `--bs 4k` and `--bs=4k` are the same.
std::string without_joints(std::string line) {
  std::replace(line.begin(), line.end(), '=', ' ');
  return line;
}

}  // namespace

base::Error as_typed(base::Error error, std::span<const std::string> typed) {
  const auto line = without_joints(fmt::format("{}", fmt::join(typed, " ")));
  auto& place = error.place;
  const bool is_made =
      place && place->file == options::kCommandLine && line.find(without_joints(place->line_text)) == std::string::npos;
  if (is_made) place.reset();
  for (auto& other : error.also) other = as_typed(std::move(other), typed);
  return error;
}

std::string render_error(const base::Error& error, std::string_view program, std::string_view word) {
  std::string out;
  const auto& place = error.place;
  if (place && place->line > 0)
    out += fmt::format("{}:{}:{}: {}: {}\n", printable(place->file), place->line, std::max(1, place->column), word,
                       printable(error.what));
  else
    out +=
        fmt::format("{}: {}: {}\n", place ? printable(place->file) : std::string(program), word, printable(error.what));
  if (place && !place->line_text.empty()) out += quoted_line(*place);
  if (!error.cause.empty()) out += fmt::format("  cause: {}\n", printable(error.cause));
  if (!error.help.empty()) out += fmt::format("  help: {}\n", printable(error.help));
  for (const auto& other : error.also) out += render_error(other, program, word);
  return out;
}

void show_error(const base::Error& error, std::string_view program) {
  write_text(stderr, render_error(error, program));
}

void show_warning(const base::Error& error, std::string_view program) {
  write_text(stderr, render_error(error, program, "warning"));
}

void show_line(const std::string& text, std::string_view program) {
  write_text(stderr, fmt::format("{}: {}\n", program, printable(text)));
}

void show_left_by_killed_runs(std::string_view program) {
  constexpr const char* kShown = "FATHOM_LEFT_SHOWN";  // runs that a sweep starts do not show it again
  if (std::getenv(kShown) != nullptr) return;
  const auto left = session::left_by_killed_runs();
  if (left.empty()) return;
  show_line(fmt::format("{} (to undo: fathom paging cleanup)", fmt::join(left, "; ")), program);
  ::setenv(kShown, "1", 1);
}

}  // namespace fathom::cli
