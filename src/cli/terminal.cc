// Writing text.
#include "cli/terminal.h"

#include "base/printable.h"

namespace fathom::cli {

bool write_text(std::FILE* to, std::string_view text) {
  const auto harmless = base::printable_lines(text);
  return std::fwrite(harmless.data(), 1, harmless.size(), to) == harmless.size();
}

}  // namespace fathom::cli
