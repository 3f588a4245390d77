// HTML as a page of a report needs it: text that cannot become markup, and tables. Names come from jobs, hosts and files of
// others; whatever stands in them is shown and never obeyed. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fathom::report::page {

// Of text between tags and in attributes with double quotes.
std::string escaped(std::string_view text);
// The same of text with lines of its own.
std::string escaped_lines(std::string_view text);
// Of JSON inside <script>: no `<` is left that could end it.
std::string in_script(std::string_view json);

class Table {
 public:
  // A caption, and a head a column; columns that begin with `#` hold numbers.
  Table(std::string_view caption, const std::vector<std::string_view>& heads);
  // The first is the row's head, with a link where a target is given.
  void row(const std::vector<std::string>& cells, std::string_view target = "");
  bool empty() const { return rows_ == 0; }
  std::string html() const;  // empty: nothing is in it

 private:
  std::string head_, body_;
  std::vector<bool> numbers_;
  std::size_t rows_ = 0;
};

}  // namespace fathom::report::page
