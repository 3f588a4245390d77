// Writing text.
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text/printable.h"
#include "base/text/wrapped.h"

namespace fathom::cli {

std::size_t terminal_columns(int fd) {
  constexpr unsigned short kUsual = 80, kMost = 120;
  if (::isatty(fd) == 0) return 0;
  winsize size = {};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return std::min(size.ws_col, kMost);
}

std::size_t terminal_rows(int fd) {
  winsize size = {};
  return ::isatty(fd) != 0 && ::ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

// No variable is set: the C locale by name, but of a terminal or reader nothing is known. sd-locale of systemd does so.
bool draws_utf8() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == 0) continue;
    std::string locale(value);
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return locale.find("utf-8") != locale.npos || locale.find("utf8") != locale.npos;
  }
  return true;
}

std::string as_shown(int fd, std::string_view text) {
  std::string shown = base::text::printable_lines(text);
  if (!draws_utf8()) shown = base::text::with_ascii_signs(std::move(shown));
  const auto columns = terminal_columns(fd);
  return columns > 0 ? base::text::wrapped(shown, columns) : shown;
}

bool write_text(std::FILE* to, std::string_view text) { return write_bytes(to, base::text::printable_lines(text)); }

bool write_bytes(std::FILE* to, std::string_view bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), to) == bytes.size();
}

}  // namespace fathom::cli
