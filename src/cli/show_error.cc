// Rendering errors.
#include "cli/show_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace fathom::cli {

std::string render_error(const base::Error& error, std::string_view program) {
  std::string out;
  if (error.place && error.place->line > 0)
    out += fmt::format("{}:{}:{}: error: {}\n", error.place->file, error.place->line, std::max(1, error.place->column),
                       error.what);
  else
    out += fmt::format("{}: error: {}\n", error.place ? error.place->file : std::string(program), error.what);
  if (error.place && !error.place->line_text.empty()) {
    const auto column = static_cast<std::size_t>(std::max(1, error.place->column));
    out += fmt::format("    {}\n    {}{}\n", error.place->line_text, std::string(column - 1, ' '),
                       std::string(static_cast<std::size_t>(std::max(1, error.place->length)), '^'));
  }
  if (!error.cause.empty()) out += fmt::format("  cause: {}\n", error.cause);
  if (!error.help.empty()) out += fmt::format("  help: {}\n", error.help);
  for (const auto& other : error.also) out += render_error(other, program);
  return out;
}

void show_error(const base::Error& error, std::string_view program) {
  const std::string text = render_error(error, program);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void show_line(const std::string& text, std::string_view program) {
  const std::string line = fmt::format("{}: {}\n", program, text);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace fathom::cli
