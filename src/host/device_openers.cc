// statx with AT_STATX_DONT_SYNC: a descriptor on a dead NFS server must not hold the look up. Sockets, pipes and the
// like are told by the link's text, which is cheaper than asking for each.
#include "host/device_openers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "host/text_file.h"

namespace fathom::host {
namespace {

bool is_number(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<dev_t> block_device_behind(const std::string& link) {
  char text[16];
  const ssize_t n = ::readlink(link.c_str(), text, sizeof text);
  if (n <= 0 || text[0] != '/') return std::nullopt;  // "socket:[4711]", "anon_inode:[eventpoll]"
  struct statx st {};
  if (::statx(AT_FDCWD, link.c_str(), AT_STATX_DONT_SYNC, STATX_TYPE, &st) != 0) return std::nullopt;
  if (!S_ISBLK(st.stx_mode)) return std::nullopt;
  return makedev(st.stx_rdev_major, st.stx_rdev_minor);
}

// The flags that a descriptor has now. O_EXCL is not among them: the kernel forgets it once the file is open.
std::optional<int> open_flags(const std::string& fdinfo) {
  const std::string text = read_text(fdinfo, 4096);
  const auto at = text.find("flags:");
  if (at == std::string::npos) return std::nullopt;
  return static_cast<int>(std::strtoul(text.c_str() + at + 6, nullptr, 8));
}

void add(std::vector<Opener>& all, std::size_t first_of_process, Opener&& one) {
  for (std::size_t i = first_of_process; i < all.size(); ++i) {
    if (all[i].device != one.device) continue;
    all[i].writes |= one.writes;
    return;
  }
  all.push_back(std::move(one));
}

// False where the process's descriptors may not be read; one that has ended has none.
bool look_at_process(const std::string& folder, pid_t pid, std::vector<Opener>& all) {
  std::error_code ec;
  std::filesystem::directory_iterator fds(folder + "/fd", ec);
  if (ec) return ec.value() != EACCES && ec.value() != EPERM;
  const std::size_t first = all.size();
  for (const std::filesystem::directory_iterator end; fds != end; fds.increment(ec)) {
    if (ec) break;
    const auto device = block_device_behind(fds->path().string());
    if (!device) continue;
    const auto flags = open_flags(folder + "/fdinfo/" + fds->path().filename().string());
    if (!flags || (*flags & O_PATH) != 0) continue;
    add(all, first, {*device, pid, read_line(folder + "/comm"), (*flags & O_ACCMODE) != O_RDONLY});
  }
  return true;
}

}  // namespace

Openers find_openers(pid_t own, const std::string& prefix) {
  Openers openers;
  for (const auto& name : list_names(prefix + "/proc")) {
    if (!is_number(name)) continue;
    openers.looked = true;
    const auto pid = static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10));
    if (pid == own) continue;
    if (!look_at_process(prefix + "/proc/" + name, pid, openers.found)) ++openers.unreadable;
  }
  return openers;
}

}  // namespace fathom::host
