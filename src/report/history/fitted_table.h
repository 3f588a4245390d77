// A table that fits a width: columns that may be missing are left out, the last one first; then the columns of names
// are cut, the widest first. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace fathom::report::history {

struct TableColumn {
  enum class Fit { whole, cut, left_out };  // what may become of it if the table is too wide
  std::string head;
  Fit fit = Fit::whole;
  bool right = false;  // numbers
  std::vector<std::string> cells = {};
};

// Cells are printable texts of one line. Two spaces begin a line, and separate columns.
std::string fitted_table(std::vector<TableColumn> columns, std::size_t width);

}  // namespace fathom::report::history
