// If the first thread of a process has ended (state: zombie) but others continue, /proc shows no descriptors under the
// process number. Then this reads the threads' directories. The first one with descriptors is sufficient, since all
// threads share one table.
// Uses statx with AT_STATX_DONT_SYNC, because stat(2) would ask the server of a network file system. Sockets, pipes and
// the like are recognized by the link's text, which is cheaper than a call for each.
#include "host/proc/descriptors.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "host/proc/text_file.h"

namespace fathom::host::proc {
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

struct Walked {
  std::error_code error;
  std::size_t seen = 0;  // descriptors of any kind
};

Walked walk(const std::string& folder, std::size_t most, const std::function<void(const Descriptor&)>& take) {
  Walked walked;
  std::filesystem::directory_iterator fds(folder + "/fd", walked.error);
  if (walked.error) return walked;
  std::error_code ec;
  for (const std::filesystem::directory_iterator end; fds != end && walked.seen < most;
       fds.increment(ec), ++walked.seen) {
    if (ec) break;
    auto one = look_at(fds->path().string());
    if (!one) continue;
    one->fdinfo = folder + "/fdinfo/" + fds->path().filename().string();
    take(*one);
  }
  return walked;
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
  const Walked walked = walk(folder, most, take);
  if (walked.error) return walked.error.value() != EACCES && walked.error.value() != EPERM;
  if (walked.seen > 0) return true;
  for (const auto& thread : list_names(folder + "/task"))
    if (walk(folder + "/task/" + thread, most, take).seen > 0) break;
  return true;
}

}  // namespace fathom::host::proc
