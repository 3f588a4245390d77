// A series: columns by name, then a row of numbers for each point. A column with the attribute `of` is a key of that
// map. "-" means that the point lacks the value.
#include "import/fathom_fields.h"

namespace fathom::import {
namespace {

using result::PagingSeriesPoint;

struct Column {
  std::string name;
  std::uint64_t PagingSeriesPoint::*member = nullptr;  // nullptr: a key of the map
  bool pressure = false;
};

std::optional<Column> column_of(pugi::xml_node node) {
  Column column{node.child_value(), nullptr, false};
  const std::string_view of = node.attribute("of").value();
  column.pressure = of == "pressure_percent";
  if (of == "kernel" || column.pressure) return column;
  result::series_columns([&](const char* name, auto member) {
    if (column.name == name) column.member = member;
  });
  if (of.empty() && column.member) return column;
  return std::nullopt;
}

// False: not a number of the column's type.
bool set(PagingSeriesPoint& point, const Column& column, std::string_view word) {
  if (word == "-" && !column.member) return true;
  if (column.pressure) {
    const auto value = to_real(word);
    if (value) point.pressure_percent[column.name] = *value;
    return value.has_value();
  }
  const auto value = to_count(word);
  if (value) (column.member ? point.*column.member : point.kernel[column.name]) = *value;
  return value.has_value();
}

bool read_point(std::string_view row, const std::vector<Column>& columns, PagingSeriesPoint& point) {
  for (const auto& column : columns)
    if (row.empty() || !set(point, column, next_word(row))) return false;
  return row.empty();
}

}  // namespace

void read_series(XmlReader& in, pugi::xml_node node, std::size_t& values_left, std::vector<PagingSeriesPoint>& points) {
  std::vector<Column> columns;
  for (const auto child : node.children("column")) {
    auto column = column_of(child);
    if (!column) return in.fail(child, "an unknown <column>", "use a column of the map kernel or pressure_percent");
    columns.push_back(std::move(*column));
  }
  if (columns.empty()) return in.fail(node, "a <series> without a <column>", "a damaged file");
  for (const auto child : node.children("point")) {
    if (columns.size() > values_left)
      return in.fail(child, fmt::format("the series of the file have more than {} values", kMostSeriesValues),
                     "more than fathom reads");
    values_left -= columns.size();
    if (!read_point(child.child_value(), columns, points.emplace_back()))
      return in.fail(child, fmt::format("a <point> without a value for each of its {} columns", columns.size()),
                     "a damaged file");
  }
}

}  // namespace fathom::import
