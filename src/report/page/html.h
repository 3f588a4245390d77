// HTML for the page of a report: text that cannot become markup, and tables. Names come from jobs, hosts and other
// people's files; their content is shown and never interpreted. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fathom::report::page {

// Escapes text between tags and in attributes with double quotes.
std::string escaped(std::string_view text);
// The same for text with line breaks.
std::string escaped_lines(std::string_view text);
// Escapes JSON inside <script>: no `<` remains that could end it.
std::string in_script(std::string_view json);

// A cell with a class for its color, and an icon that means the same. Screen readers omit the icon.
struct Cell {
  std::string text;
  const char* tone = "";
  const char* icon = "";
};

class Table {
 public:
  // A caption, and one head per column; columns with a `#` at the start of the head have numbers.
  Table(std::string_view caption, const std::vector<std::string_view>& heads);
  // The first cell is the row's head, with a link if a target is given.
  void row(const std::vector<std::string>& cells, std::string_view target = "");
  void cells(const std::vector<Cell>& cells);
  bool empty() const { return rows_ == 0; }
  std::string html() const;  // empty: no rows

 private:
  const char* number_class(std::size_t column) const {
    return column < numbers_.size() && numbers_[column] ? " class=\"n\"" : "";
  }

  std::string head_, body_;
  std::vector<bool> numbers_;
  std::size_t rows_ = 0;
};

}  // namespace fathom::report::page
