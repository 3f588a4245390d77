// The paper's Table 2: five rows for each configuration, over its repetitions.
#include <fmt/format.h>

#include <algorithm>

#include "report/paging_text_parts.h"
#include "report/paging_words.h"

namespace fathom::report {
namespace {

constexpr const char* kRows[] = {"1 mean of all accesses", "2 most frequent major", "3 mean of majors",
                                 "4 overhead of majors", "5 overhead of media %"};
constexpr std::size_t kColumns = 3;  // side by side, so that a line stays within 80 characters

std::string value_text(const result::PagingRow& row, bool percent) {
  const auto one = [&](double value) { return percent ? fmt::format("{:.0f} %", value) : short_time(value); };
  if (row.values.empty()) return "-";
  const double half = (row.high - row.low) / 2;
  // Too wide for a mean and something to either side: of times it would say less than nothing.
  if (row.low > 0 && !percent && half > row.mean / 3) return short_range(row.low, row.high);
  return one(row.mean) + (half > 0 ? " ± " + one(half) : "");
}

// Right-aligned by characters, not bytes: ± has two.
std::string right(const std::string& text, std::size_t width) {
  const auto shown = static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  return std::string(width > shown ? width - shown : 1, ' ') + text;
}

std::string block(const result::PagingTableColumn* first, std::size_t count) {
  std::string out = fmt::format("\n  {:<23}", "Table 2");
  for (std::size_t c = 0; c < count; ++c) {
    const auto& column = first[c].name;
    out += right(column.size() > 17 ? ".." + column.substr(column.size() - 15) : column, 18);
  }
  out += "\n";
  for (std::size_t r = 0; r < std::size(kRows); ++r) {
    out += fmt::format("  {:<23}", kRows[r]);
    for (std::size_t c = 0; c < count; ++c) out += right(value_text(first[c].rows[r], r == 4), 18);
    out += "\n";
  }
  return out;
}

// Where the medium is memory, looking at it is no small part of what is seen.
std::string timing_note(const std::vector<result::PagingTableColumn>& columns) {
  std::string names;
  for (const auto& column : columns) {
    const bool timed = column.media_ns > 0 && !column.media.empty() && !column.media.starts_with("direct reads");
    if (timed && column.media_ns < result::kShortRequest_ns) names += (names.empty() ? "" : ", ") + column.name;
  }
  if (names.empty()) return "";
  return wrapped(fmt::format("{}: timing costs each read some {:.1f} us more while it looks: all of it is in rows 1 to "
                             "4, a part in the media that row 5 divides by",
                             names, result::kTimingCost_ns / 1e3),
                 "  ");
}

}  // namespace

std::string paging_table2(const result::Paging& paging) {
  const auto& columns = paging.table2;
  std::string out;
  for (std::size_t c = 0; c < columns.size(); c += kColumns)
    out += block(&columns[c], std::min(kColumns, columns.size() - c));
  for (const auto& column : columns)
    out += wrapped(fmt::format("{}: {} repetition{}, media {}{}", column.name, column.rows[0].values.size(),
                               column.rows[0].values.size() == 1 ? "" : "s", short_time(column.media_ns),
                               column.media.empty() ? "" : " by " + column.media),
                   "  ");
  out += timing_note(columns);
  if (!columns.empty())
    out +=
        "  ±: half of a 95 % interval over the repetitions; of two, half their distance.\n"
        "  Where that is wide, the interval itself stands alone.\n";
  return out;
}

}  // namespace fathom::report
