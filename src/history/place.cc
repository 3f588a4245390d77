// Directories are made one by one: those that the user has keep their permissions.
#include "history/place.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace fathom::history {

base::Expected<std::string> usual_file() {
  const auto absolute = [](const char* value) { return value != nullptr && value[0] == '/'; };
  if (const char* data = std::getenv("XDG_DATA_HOME"); absolute(data))
    return (std::filesystem::path(data) / "fathom/history.db").string();
  if (const char* home = std::getenv("HOME"); absolute(home))
    return (std::filesystem::path(home) / ".local/share/fathom/history.db").string();
  base::Error error;
  error.what = "no directory for the history";
  error.cause = "neither XDG_DATA_HOME nor HOME is an absolute path";
  error.help = "name the file with --history=FILE";
  return error;
}

base::Expected<void> make_directories_of(const std::string& file) {
  constexpr mode_t kOnlyUser = 0700;
  std::error_code unknown;
  const auto directory = std::filesystem::absolute(file, unknown).parent_path();
  std::filesystem::path made;
  for (const auto& name : directory) {
    made /= name;
    if (std::filesystem::exists(made, unknown)) continue;
    if (::mkdir(made.c_str(), kOnlyUser) == 0 || errno == EEXIST) continue;
    const int reason = errno;
    auto error =
        base::system_error(fmt::format("history `{}`: create the directory `{}`", file, made.string()), reason);
    error.help = "use --history=FILE with a file that you can write";
    return error;
  }
  return {};
}

}  // namespace fathom::history
