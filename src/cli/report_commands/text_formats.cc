// Reading the list, asking the terminal.
#include "cli/report_commands/text_formats.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/nearest.h"
#include "cli/subcommand.h"
#include "report/formats.h"

namespace fathom::cli::report_commands {

base::Expected<std::vector<std::string>> formats_named(const std::string& list, const result::Stored& kind) {
  const auto known = report::format_names(kind);
  std::vector<std::string> formats;
  for (std::size_t at = 0; at <= list.size();) {
    const auto end = std::min(list.find(',', at), list.size());
    formats.push_back(list.substr(at, end - at));
    if (formats.back() == "normal") formats.back() = "text";
    if (std::find(known.begin(), known.end(), formats.back()) == known.end())
      return usage_error(fmt::format("--output-format: unknown format `{}`", formats.back()), "",
                         base::did_you_mean(formats.back(), known, fmt::format("they are {}", fmt::join(known, ", "))));
    at = end + 1;
  }
  return formats;
}

std::size_t text_width(bool to_file) {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  if (to_file || ::isatty(STDOUT_FILENO) == 0) return kUsual;
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace fathom::cli::report_commands
