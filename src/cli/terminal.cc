// Writing text.
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/text/printable.h"

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

bool write_text(std::FILE* to, std::string_view text) { return write_bytes(to, base::text::printable_lines(text)); }

bool write_bytes(std::FILE* to, std::string_view bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), to) == bytes.size();
}

}  // namespace fathom::cli
