// Opening and writing.
#include "cli/report_commands/report_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "base/text/printable.h"
#include "base/text/wrapped.h"
#include "cli/colour.h"
#include "cli/terminal.h"

namespace fathom::cli::report_commands {
namespace {

constexpr int kWrite = O_WRONLY | O_CLOEXEC;
constexpr mode_t kMode = 0666;

// What was there goes only now. A pipe or a terminal cannot be shortened, and holds nothing.
void drop_old(std::FILE* file) {
  struct stat facts = {};
  const int fd = ::fileno(file);
  if (::fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) return;
  [[maybe_unused]] const int done = ::ftruncate(fd, 0);
}

// The name of a file that holds something and that another may take the place of: it has that name alone, and nobody
// wrote to it through a descriptor (/dev/stdout). "" where there is none.
std::string replaceable(const std::string& path, std::FILE* file, struct stat& facts) {
  if (::fstat(::fileno(file), &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size == 0 || facts.st_nlink != 1)
    return {};
  if (path.starts_with("/dev/") || path.starts_with("/proc/")) return {};
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real == nullptr ? "" : real.get();
}

// As the old one: its owner and its mode. nullptr where that cannot be.
std::FILE* made_like(const std::string& path, const struct stat& old) {
  ::unlink(path.c_str());  // of one who was killed here
  const int fd = ::open(path.c_str(), kWrite | O_CREAT | O_EXCL, kMode);
  if (fd < 0) return nullptr;
  struct stat own = {};
  const bool alike =
      ::fstat(fd, &own) == 0 &&
      ((own.st_uid == old.st_uid && own.st_gid == old.st_gid) || ::fchown(fd, old.st_uid, old.st_gid) == 0) &&
      ::fchmod(fd, old.st_mode & 07777) == 0;
  if (std::FILE* const file = alike ? ::fdopen(fd, "w") : nullptr; file != nullptr) return file;
  ::close(fd);
  ::unlink(path.c_str());
  return nullptr;
}

}  // namespace

ReportFile::~ReportFile() {
  if (file_ == nullptr || file_ == stdout) return;
  std::fclose(file_);
  if (made_ && !written_) ::unlink(path_.c_str());
}

base::Expected<void> ReportFile::open(const std::string& path) {
  path_ = path;
  if (path.empty()) return file_ = stdout, base::Expected<void>{};
  int fd = ::open(path.c_str(), kWrite | O_CREAT | O_EXCL, kMode);
  made_ = fd >= 0;
  if (fd < 0 && errno == EEXIST) fd = ::open(path.c_str(), kWrite | O_CREAT, kMode);
  file_ = fd < 0 ? nullptr : ::fdopen(fd, "w");
  if (file_ == nullptr) return base::system_error("open `" + path + "` for the report", errno);
  return {};
}

std::size_t ReportFile::columns() const { return terminal_columns(file_); }

base::Expected<void> ReportFile::write(std::string_view text) {
  return write_printable(base::text::printable_lines(text));
}

base::Expected<void> ReportFile::write_for_people(std::string_view text) {
  std::string shown = base::text::printable_lines(text);
  if (columns() > 0) shown = base::text::wrapped(shown, columns());
  return write_printable(wants_colour(file_) ? coloured(shown) : shown);
}

base::Expected<void> ReportFile::write_printable(std::string_view text) {
  return file_ == stdout || written_ ? write_here(text) : write_first(text);
}

base::Expected<void> ReportFile::write_first(std::string_view text) {
  written_ = true;
  if (replace_old(text)) return {};
  drop_old(file_);
  return write_here(text);
}

// False: all is as it was.
bool ReportFile::replace_old(std::string_view text) {
  struct stat old = {};
  const std::string name = replaceable(path_, file_, old);
  const std::string next = name + ".new";
  std::FILE* const file = name.empty() ? nullptr : made_like(next, old);
  if (file == nullptr) return false;
  if (!write_bytes(file, text) || std::fflush(file) != 0 || ::rename(next.c_str(), name.c_str()) != 0) {
    std::fclose(file);
    ::unlink(next.c_str());
    return false;
  }
  std::fclose(file_);
  file_ = file;
  return true;
}

base::Expected<void> ReportFile::write_here(std::string_view text) {
  if (write_bytes(file_, text) && std::fflush(file_) == 0) return {};
  const int err = errno;
  if (file_ == stdout) return base::system_error("write the report to standard output", err);
  write_bytes(stdout, text);
  return base::system_error("write the report to `" + path_ + "` (it is on standard output instead)", err);
}

}  // namespace fathom::cli::report_commands
