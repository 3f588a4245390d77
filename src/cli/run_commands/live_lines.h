// Lines at the bottom of a terminal, redrawn in place. Problem: however the program ends, and after a resize or Ctrl-C,
// the terminal must be as before. Choice: no mode of the terminal is changed, so none has to be restored. The cursor
// stays at the end of the last line, and lines are one column shorter than the width. Each redraw moves up by the rows
// that the last one takes at the current width. Source: ECMA-48 (CUU, EL, ED).
#pragma once
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace fathom::cli::run_commands {

// The output that redraws lines over those that took `widths` columns each.
std::string drawn_over(std::span<const std::size_t> widths, std::span<const std::string> lines, std::size_t columns);

class LiveLines {
 public:
  explicit LiveLines(std::FILE* out) : out_(out) {}
  // True if the terminal can move the cursor up.
  bool possible() const;
  std::size_t columns() const;
  void show(std::vector<std::string> lines);
  void show_wrapped(const std::string& text);  // one text, on as many lines as it needs
  void clear();

 private:
  std::FILE* out_;
  std::vector<std::size_t> widths_;  // of the lines on the terminal
};

}  // namespace fathom::cli::run_commands
