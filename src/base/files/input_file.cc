// Reads a file up to a limit.
#include "base/files/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/system/fd.h"
#include "base/text/printable.h"

namespace fathom::base::files {
namespace {

constexpr std::size_t kStep_bytes = std::size_t{1} << 20;

Error mistake(std::string what, std::string cause, std::string help) {
  Error e;
  e.what = std::move(what);
  e.cause = std::move(cause);
  e.help = std::move(help);
  return e;
}

bool is_null(const struct stat& file) { return S_ISCHR(file.st_mode) && file.st_rdev == makedev(1, 3); }

Expected<std::string> read_all(int fd, const std::string& name, std::size_t most_bytes, Larger larger) {
  struct stat file = {};
  if (::fstat(fd, &file) != 0) return system_error("read " + name, errno);
  if (S_ISDIR(file.st_mode)) return system_error("read " + name, EISDIR);
  if (is_null(file)) return std::string();
  const bool device = S_ISBLK(file.st_mode) || (S_ISCHR(file.st_mode) && ::isatty(fd) == 0);
  if (device) return mistake("cannot read " + name, "the file is a device", "name a file or a pipe");
  const bool regular = S_ISREG(file.st_mode);
  if (!regular) most_bytes = std::min(most_bytes, kMostOfPipe_bytes);
  const bool cut = larger == Larger::cut;
  const auto size = regular ? static_cast<std::size_t>(file.st_size) : 0;
  const std::size_t room = cut ? most_bytes : most_bytes + 1;  // one more byte shows that the file is larger
  std::string text;
  if (!regular) text.reserve(room);  // unused memory costs nothing; growing the text would copy it
  std::size_t have = 0;
  while ((cut || size <= most_bytes) && have < room) {
    if (have == text.size()) text.resize(std::min(room, std::max(have + kStep_bytes, size + 1)));
    const auto n = ::read(fd, text.data() + have, text.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("read " + name, errno);
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  if (!cut && (size > most_bytes || have > most_bytes))
    return mistake(fmt::format("{} is too large", name), fmt::format("the limit is {} MiB", most_bytes >> 20), "");
  text.resize(have);
  return text;
}

}  // namespace

Expected<std::string> read_input(const std::string& what, const std::string& path, std::size_t most_bytes,
                                 Larger larger) {
  if (path == "-") return read_all(STDIN_FILENO, what + " from standard input", most_bytes, larger);
  const auto name = fmt::format("{} `{}`", what, text::printable(path));
  // The terminal must not become the controlling one. A device must not stay open, and a tape must not be rewound.
  struct stat file = {};
  if (::stat(path.c_str(), &file) == 0 && (S_ISBLK(file.st_mode) || S_ISSOCK(file.st_mode)))
    return mistake("cannot read " + name, "the file is a device or a socket", "name a file or a pipe");
  const system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC));
  if (!fd) return system_error(name, errno);
  return read_all(fd.get(), name, most_bytes, larger);
}

}  // namespace fathom::base::files
