// Tables of events as comma-separated values (RFC 4180): a header line, and fields in "quotes" if they contain a comma
// or a doubled quote. Pure, thread-safe.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::pmu::pcie {

struct Table {
  std::vector<std::string> names;              // of the columns
  std::vector<std::vector<std::string>> rows;  // each as wide as names
  std::vector<int> lines;                      // line of each row in the text, from 1

  // "" if the column does not exist.
  const std::string& at(std::size_t row, std::string_view column) const;
};

// ErrorKind::usage with the line: a row of another width, an open quote or text after a quote, no header.
base::Expected<Table> parse_csv(std::string_view text);

// The text of an embedded file of events/, "" if no file has that name.
std::string_view event_file(std::string_view name);

}  // namespace fathom::pmu::pcie
