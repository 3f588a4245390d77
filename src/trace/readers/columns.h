// Comma-separated columns of public block traces, and the part that their readers share. A header is the first line if
// it begins with a letter and does not parse. Thread rule: one owner.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "trace/text_reader.h"

namespace fathom::trace::readers {

inline constexpr std::size_t kMostColumns = 8;

struct Columns {
  std::array<std::string_view, kMostColumns> at{};
  std::size_t count = 0;  // kMostColumns + 1: more

  explicit Columns(std::string_view line);
  std::string_view operator[](std::size_t i) const { return at[i]; }
};

// The first line of the head that is no header.
std::string_view first_record(std::string_view head);

class ColumnReader : public TextReader {
 public:
  using TextReader::TextReader;

 protected:
  base::Expected<bool> parse(std::string_view line, Event& event) final;
  // A line with columns. As TextReader::parse().
  virtual base::Expected<bool> record(const Columns& columns, Event& event) = 0;

  base::Error not_a_number(std::string_view column, std::string_view what) const;
  // Checks and sets the extent. False: counted as skipped.
  base::Expected<bool> set_extent(std::string_view offset, std::string_view length, std::uint64_t unit_bytes,
                                  Event& event);
  // The time of the trace's clock: the first one is the start.
  void set_clock(std::uint64_t clock_ns, Event& event);

 private:
  std::uint64_t start_ns_ = kNotKnown;
};

}  // namespace fathom::trace::readers
