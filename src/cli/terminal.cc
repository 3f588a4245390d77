// Writing text.
#include "cli/terminal.h"

#include "base/text/printable.h"

namespace fathom::cli {

bool write_text(std::FILE* to, std::string_view text) { return write_bytes(to, base::text::printable_lines(text)); }

bool write_bytes(std::FILE* to, std::string_view bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), to) == bytes.size();
}

}  // namespace fathom::cli
