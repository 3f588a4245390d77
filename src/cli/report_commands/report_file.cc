// Opening and writing.
#include "cli/report_commands/report_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

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

base::Expected<void> ReportFile::write(std::string_view text) {
  return write_printable(base::text::printable_lines(text));
}

base::Expected<void> ReportFile::write_for_people(std::string_view text) {
  const std::size_t columns = terminal_columns(file_);
  std::string shown = base::text::printable_lines(text);
  if (columns > 0) shown = base::text::wrapped(shown, columns);
  return write_printable(wants_colour(file_) ? coloured(shown) : shown);
}

base::Expected<void> ReportFile::write_printable(std::string_view text) {
  if (file_ != stdout && !written_) drop_old(file_);
  written_ = true;
  if (write_bytes(file_, text) && std::fflush(file_) == 0) return {};
  const int err = errno;
  if (file_ == stdout) return base::system_error("write the report to standard output", err);
  write_bytes(stdout, text);
  return base::system_error("write the report to `" + path_ + "` (it is on standard output instead)", err);
}

}  // namespace fathom::cli::report_commands
