// Some lines at the bottom of a terminal, drawn anew in place. Problem: whatever ends the program, a resize and Ctrl-C
// included, the terminal must be as it was. Choice: no mode of the terminal is switched, so that nothing has to be switched
// back; the cursor rests at the end of the last line, lines are a column short of the width, and each drawing goes up by
// the rows that the last one takes at the width of now. Source: ECMA-48 (CUU, EL, ED).
#pragma once
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace fathom::cli::run_commands {

// What is written to draw lines over those that took `widths` columns each.
std::string drawn_over(std::span<const std::size_t> widths, std::span<const std::string> lines, std::size_t columns);

class LiveLines {
 public:
  explicit LiveLines(std::FILE* out) : out_(out) {}
  // Whether it is a terminal that goes up at all.
  bool possible() const;
  static bool utf8();  // by LC_ALL, LC_CTYPE or LANG, the first that is set
  std::size_t columns() const;
  void show(std::vector<std::string> lines);
  void clear();

 private:
  std::FILE* out_;
  std::vector<std::size_t> widths_;  // of the lines that stand there
};

}  // namespace fathom::cli::run_commands
