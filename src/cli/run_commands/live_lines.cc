// Before each drawing, the cursor moves up by rows, and everything below is erased.
#include "cli/run_commands/live_lines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/text/printable.h"
#include "base/text/wrapped.h"
#include "cli/terminal.h"

namespace fathom::cli::run_commands {
namespace {

// Moves the cursor to the start of the shown lines, and erases them.
std::string taken_away(std::span<const std::size_t> widths, std::size_t columns) {
  std::size_t rows = 0;
  for (const auto width : widths)
    rows += std::max<std::size_t>(1, (width + columns - 1) / std::max<std::size_t>(columns, 1));
  return (rows > 1 ? fmt::format("\r\x1b[{}A", rows - 1) : std::string("\r")) + "\x1b[J";
}

}  // namespace

std::string drawn_over(std::span<const std::size_t> widths, std::span<const std::string> lines, std::size_t columns) {
  std::string out = taken_away(widths, columns);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += lines[i];
    if (i + 1 < lines.size()) out += "\n";
  }
  return out;
}

bool LiveLines::possible() const {
  const char* const term = std::getenv("TERM");
  return ::isatty(::fileno(out_)) != 0 && term != nullptr && *term != 0 && std::string_view(term) != "dumb";
}

std::size_t LiveLines::columns() const { return std::max<std::size_t>(terminal_columns(::fileno(out_)), 2) - 1; }

void LiveLines::show(std::vector<std::string> lines) {
  for (auto& line : lines) line = base::text::cut_at(base::text::printable(line), columns());
  write_bytes(out_, drawn_over(widths_, lines, columns() + 1));
  std::fflush(out_);
  widths_.clear();
  for (const auto& line : lines) widths_.push_back(base::text::columns_of(line));
}

void LiveLines::show_wrapped(const std::string& text) {
  std::istringstream rows(base::text::wrapped(base::text::printable(text), columns()));
  std::vector<std::string> lines;
  for (std::string row; std::getline(rows, row);) lines.push_back(row);
  show(std::move(lines));
}

void LiveLines::clear() {
  if (widths_.empty()) return;
  write_bytes(out_, taken_away(widths_, columns() + 1));
  std::fflush(out_);
  widths_.clear();
}

}  // namespace fathom::cli::run_commands
