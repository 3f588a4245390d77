// Creates a temporary file in the directory of the final one, and gives it the final name.
#include "base/files/beside.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>

namespace fathom::base::files {
namespace {

constexpr std::size_t kLongestName = 255;

// The name is random, so that no other process can create the file in advance.
std::string temporary_name(const std::string& name) {
  std::uint64_t random[2] = {};
  if (::getrandom(random, sizeof random, 0) != sizeof random) random[0] = static_cast<std::uint64_t>(::getpid());
  const auto end = fmt::format(".{:016x}{:016x}", random[0], random[1]);
  return "." + name.substr(0, kLongestName - 1 - end.size()) + end;
}

}  // namespace

bool is_of_space(int err) { return err == ENOSPC || err == EDQUOT || err == EFBIG || err == EIO; }

Beside::Beside(int directory, const std::string& name, mode_t mode, Begin begin)
    : directory_(directory), next_(temporary_name(name)) {
  if (begin == Begin::unnamed) fd_.reset(::openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  if (fd_ || (begin == Begin::unnamed && is_of_space(errno))) return;
  fd_.reset(::openat(directory, next_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  named_ = fd_.get() >= 0;
}

Beside::~Beside() {
  if (named_) ::unlinkat(directory_, next_.c_str(), 0);
}

int Beside::take_name(const std::string& name, bool is_new) {
  if (!named_ && is_new) return link(name);
  if (!named_)
    if (const int err = link(next_); err != 0) return err;
  named_ = true;
  int rc = ::renameat2(directory_, next_.c_str(), directory_, name.c_str(), is_new ? RENAME_NOREPLACE : 0);
  if (rc != 0 && errno == EINVAL) rc = ::renameat(directory_, next_.c_str(), directory_, name.c_str());
  if (rc != 0) return errno;
  named_ = false;
  return 0;
}

int Beside::link(const std::string& name) const {
  const auto self = fmt::format("/proc/self/fd/{}", fd_.get());
  if (::linkat(AT_FDCWD, self.c_str(), directory_, name.c_str(), AT_SYMLINK_FOLLOW) == 0) return 0;
  return ::linkat(fd_.get(), "", directory_, name.c_str(), AT_EMPTY_PATH) == 0 ? 0 : errno;
}

}  // namespace fathom::base::files
