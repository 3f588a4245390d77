// Reading in parts.
#include "cli/report_commands/read_file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>
#include <vector>

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

}  // namespace fathom::cli::report_commands
