// Reading in parts.
#include "cli/report_commands/read_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>
#include <vector>

#include "cli/subcommand.h"
#include "import/pmbench/pmbench_xml.h"

namespace fathom::cli::report_commands {
namespace {

std::string read_all(std::istream& in, std::size_t most_bytes) {
  std::string text;
  std::vector<char> part(std::size_t{1} << 20);
  while (in && text.size() <= most_bytes) {
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  return text;
}

constexpr std::size_t kMostResult_bytes = import::pmbench::kMostReportBytes;

base::Error too_large(const std::string& name) {
  return usage_error(fmt::format("`{}` is too large", name),
                     fmt::format("no result above {} MiB is read", kMostResult_bytes >> 20), "");
}

}  // namespace

base::Expected<std::string> read_file(const std::string& path, std::size_t most_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return base::system_error("read `" + path + "`", EISDIR);
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::system_error("open `" + path + "`", errno);
  auto text = read_all(file, most_bytes);
  if (file.bad()) return base::system_error("read `" + path + "`", EIO);
  return text;
}

std::string read_standard_input(std::size_t most_bytes) { return read_all(std::cin, most_bytes); }

base::Expected<std::string> read_result_file(const std::string& path) {
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);  // of a pipe there is none
  if (!unknown && size > kMostResult_bytes) return too_large(path);
  auto text = read_file(path, kMostResult_bytes);
  if (text && text->size() > kMostResult_bytes) return too_large(path);
  return text;
}

base::Expected<std::string> read_result_input() {
  auto text = read_standard_input(kMostResult_bytes);
  if (text.size() > kMostResult_bytes) return too_large("-");
  return text;
}

}  // namespace fathom::cli::report_commands
