// statx with AT_STATX_DONT_SYNC, where stat(2) would ask the server of a file system that is mounted from one. Sockets,
// pipes and the like are told by the link's text, which is cheaper than asking for each.
#include "host/descriptors.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "host/text_file.h"

namespace fathom::host {
namespace {

std::optional<Descriptor> look_at(const std::string& link) {
  char text[16];
  const ssize_t n = ::readlink(link.c_str(), text, sizeof text);
  if (n <= 0 || text[0] != '/') return std::nullopt;  // "socket:[4711]", "anon_inode:[eventpoll]"
  struct statx st {};
  if (::statx(AT_FDCWD, link.c_str(), AT_STATX_DONT_SYNC, STATX_TYPE, &st) != 0) return std::nullopt;
  Descriptor one;
  one.type = st.stx_mode & S_IFMT;
  one.device =
      S_ISBLK(one.type) ? makedev(st.stx_rdev_major, st.stx_rdev_minor) : makedev(st.stx_dev_major, st.stx_dev_minor);
  one.mount_root = S_ISDIR(one.type) && (st.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
  return one;
}

}  // namespace

std::optional<int> Descriptor::flags() const {
  const std::string text = read_text(fdinfo, 4096);
  const auto at = text.find("flags:");
  if (at == std::string::npos) return std::nullopt;
  const int flags = static_cast<int>(std::strtoul(text.c_str() + at + 6, nullptr, 8));
  if ((flags & O_PATH) != 0) return std::nullopt;
  return flags;
}

bool each_descriptor(const std::string& folder, std::size_t most, const std::function<void(const Descriptor&)>& take) {
  std::error_code ec;
  std::filesystem::directory_iterator fds(folder + "/fd", ec);
  if (ec) return ec.value() != EACCES && ec.value() != EPERM;
  for (const std::filesystem::directory_iterator end; fds != end && most-- > 0; fds.increment(ec)) {
    if (ec) break;
    auto one = look_at(fds->path().string());
    if (!one) continue;
    one->fdinfo = folder + "/fdinfo/" + fds->path().filename().string();
    take(*one);
  }
  return true;
}

}  // namespace fathom::host
