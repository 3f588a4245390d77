// A version is a word of digits, a point and digits. git's suffix may follow it.
#include "import/fio/version.h"

#include <charconv>

namespace fathom::import::fio {

Version version_of(std::string_view text) {
  if (text.starts_with("fio-")) text.remove_prefix(4);
  Version found;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, found.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return {};
  const auto minor = std::from_chars(major.ptr + 1, end, found.minor);
  return minor.ec == std::errc() ? found : Version{};
}

}  // namespace fathom::import::fio
