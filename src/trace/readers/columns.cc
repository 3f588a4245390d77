// Comma-separated columns.
#include "trace/readers/columns.h"

#include <fmt/format.h>

#include <cstring>

namespace fathom::trace::readers {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

Columns::Columns(std::string_view line) {
  const char* begin = line.data();
  const char* const end = begin + line.size();
  for (;;) {
    if (count == kMostColumns) {
      ++count;
      return;
    }
    const auto* comma = static_cast<const char*>(std::memchr(begin, ',', static_cast<std::size_t>(end - begin)));
    const char* const stop = comma == nullptr ? end : comma;
    at[count++] = {begin, static_cast<std::size_t>(stop - begin)};
    if (comma == nullptr) return;
    begin = comma + 1;
  }
}

std::string_view first_record(std::string_view head) {
  auto line = take(head, '\n');
  if (!line.empty() && is_letter(line.front()) && !head.empty()) line = take(head, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

base::Expected<bool> ColumnReader::parse(std::string_view line, Event& event) {
  if (line.empty()) return false;
  auto taken = record(Columns(line), event);
  if (!taken && line_number() == 1 && is_letter(line.front())) return false;  // names of the columns
  return taken;
}

base::Error ColumnReader::not_a_number(std::string_view column, std::string_view what) const {
  return bad(column,
             column.empty() ? fmt::format("no {}", what) : fmt::format("{} `{}` is not a number", what, column));
}

base::Expected<bool> ColumnReader::set_extent(std::string_view offset, std::string_view length,
                                              std::uint64_t unit_bytes, Event& event) {
  if (!to_number(offset, event.offset_bytes)) return not_a_number(offset, "offset");
  if (!to_number(length, event.length_bytes)) return not_a_number(length, "length");
  const auto most = ~std::uint64_t{0} / unit_bytes;
  if (event.offset_bytes > most || event.length_bytes > most - event.offset_bytes)
    return bad(offset, "the I/O ends beyond 2^64 bytes");
  event.offset_bytes *= unit_bytes;
  event.length_bytes *= unit_bytes;
  if (event.length_bytes == 0) return skip(kZeroLength), false;
  return true;
}

void ColumnReader::set_clock(std::uint64_t clock_ns, Event& event) {
  if (start_ns_ == kNotKnown) start_ns_ = clock_ns;
  set_time(clock_ns > start_ns_ ? clock_ns - start_ns_ : 0, event);
}

}  // namespace fathom::trace::readers
