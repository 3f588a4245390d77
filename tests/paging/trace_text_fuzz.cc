// libFuzzer: any bytes as a trace, line by line. What is wrong is wrong within its line; an access is never both.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "paging/sources/trace_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fathom::paging::sources::TraceLine;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const TraceLine access = fathom::paging::sources::parse_trace_line(line);
    const bool bad = access.kind == TraceLine::Kind::bad;
    if (bad != (access.cause != nullptr)) std::abort();
    if (bad && (access.column < 1 || access.column > static_cast<int>(line.size()) + 1)) std::abort();
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return 0;
}
