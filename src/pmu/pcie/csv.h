// Tables of events as comma separated values (RFC 4180): a header line, fields in "quotes" where they hold a comma or a
// doubled quote. Pure, thread-safe.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::pmu::pcie {

struct Table {
  std::vector<std::string> names;              // of the columns
  std::vector<std::vector<std::string>> rows;  // each as wide as names
  std::vector<int> lines;                      // of the rows in the text, from 1

  // "" where there is no such column.
  const std::string& at(std::size_t row, std::string_view column) const;
};

// ErrorKind::usage with the line: a row of another width, a quote left open or with text behind it, no header.
base::Expected<Table> parse_csv(std::string_view text);

// The text of an embedded file of events/, "" if there is none of that name.
std::string_view event_file(std::string_view name);

}  // namespace fathom::pmu::pcie
