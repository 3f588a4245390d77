// A sysfs attribute needs one write(2) with its whole text, and returns its errno from that call. A stream would not
// report it.
#include "nvme/pci/sysfs.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/system/fd.h"
#include "base/text/parse.h"

namespace fathom::nvme::pci {

namespace fs = std::filesystem;

bool Sysfs::exists(const std::string& inside) const {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path(inside), ignored));
}

std::string Sysfs::line(const std::string& inside) const {
  std::ifstream file(path(inside));
  std::string text;
  std::getline(file, text);
  return std::string(base::text::trim(text));
}

std::uint64_t Sysfs::number(const std::string& inside, std::uint64_t otherwise) const {
  const std::string text = line(inside);
  const bool hexadecimal = text.starts_with("0x");
  const char* first = text.data() + (hexadecimal ? 2 : 0);
  const char* last = text.data() + text.size();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value, hexadecimal ? 16 : 10);
  return error == std::errc() && end == last ? value : otherwise;
}

std::string Sysfs::link_name(const std::string& inside) const {
  std::error_code ignored;
  return fs::read_symlink(path(inside), ignored).filename().string();
}

std::vector<std::string> Sysfs::names(const std::string& inside) const {
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator entry(path(inside), error), end; !error && entry != end; entry.increment(error))
    found.push_back(entry->path().filename().string());
  std::sort(found.begin(), found.end());
  return found;
}

int Sysfs::write(const std::string& inside, std::string_view text) {
  const base::system::UniqueFd fd(::open(path(inside).c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return errno;
  return ::write(fd.get(), text.data(), text.size()) < 0 ? errno : 0;
}

base::Error write_error(const std::string& what, const std::string& file, int error) {
  const bool rights = error == EACCES || error == EPERM || error == EROFS;
  return {.kind = rights ? base::ErrorKind::privilege : base::ErrorKind::io,
          .what = what + ": " + std::strerror(error),
          .cause = "a write to " + file + " was refused" + (rights ? ": only root may do that" : ""),
          .help = rights ? "run fathom as root, on the host and not in a container"
                         : "look for the cause in the last lines of dmesg",
          .place = {},
          .sys_errno = error};
}

}  // namespace fathom::nvme::pci
