// Counting lines.
#include "import/place.h"

#include <algorithm>

namespace fathom::import {
namespace {

constexpr std::size_t kLongestLineShown = 400;  // some files are one line

}  // namespace

base::SourcePlace place_in(std::string_view text, const std::string& file_name, std::size_t offset) {
  const std::size_t at = std::min(offset, text.size());
  const std::string_view before = text.substr(0, at);
  const auto line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const auto line_end = std::min(text.find('\n', line_begin), text.size());
  const bool shown = line_end - line_begin <= kLongestLineShown;
  return {file_name, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(at - line_begin) + 1,
          std::string(text.substr(line_begin, shown ? line_end - line_begin : 0)), 1};
}

}  // namespace fathom::import
