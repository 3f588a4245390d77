// Widths are counted in characters.
#include "report/history/fitted_table.h"

#include <algorithm>
#include <string_view>

#include "base/text/wrapped.h"

namespace fathom::report::history {
namespace {

constexpr std::size_t kGap = 2, kNarrowestCut = 6;

std::size_t width_of(const TableColumn& column) {
  std::size_t width = base::text::columns_of(column.head);
  for (const auto& cell : column.cells) width = std::max(width, base::text::columns_of(cell));
  return width;
}

std::string cut_cell(const std::string& cell, std::size_t width) {
  constexpr std::string_view kMore = "...";
  if (base::text::columns_of(cell) <= width) return cell;
  return std::string(base::text::cut_at(cell, width - kMore.size())).append(kMore);
}

// Returns the widths of the columns that stay.
std::vector<std::size_t> fit(std::vector<TableColumn>& columns, std::size_t width) {
  std::vector<std::size_t> widths;
  widths.reserve(columns.size());
  for (const auto& column : columns) widths.push_back(width_of(column));
  const auto total = [&] {
    std::size_t sum = 0;
    for (const auto one : widths) sum += kGap + one;
    return sum;
  };
  for (std::size_t i = columns.size(); i-- > 0 && total() > width;) {
    if (columns[i].fit != TableColumn::Fit::left_out) continue;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i));
    widths.erase(widths.begin() + static_cast<std::ptrdiff_t>(i));
  }
  while (total() > width) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].fit == TableColumn::Fit::cut && widths[i] > kNarrowestCut && (!widest || widths[i] > *widest))
        widest = &widths[i];
    if (widest == nullptr) break;
    --*widest;
  }
  return widths;
}

void add_cell(std::string& line, const std::string& cell, std::size_t width, bool right) {
  const auto shown = cut_cell(cell, width);
  const std::string blanks(width - base::text::columns_of(shown), ' ');
  line.append(kGap, ' ').append(right ? blanks + shown : shown + blanks);
}

}  // namespace

std::string fitted_table(std::vector<TableColumn> columns, std::size_t width) {
  const auto widths = fit(columns, width);
  std::string out;
  const std::size_t rows = columns.empty() ? 0 : columns[0].cells.size();
  for (std::size_t row = 0; row <= rows; ++row) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i)
      add_cell(line, row == 0 ? columns[i].head : columns[i].cells[row - 1], widths[i], columns[i].right);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace fathom::report::history
