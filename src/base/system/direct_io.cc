// ext4 writes journaled data through the page cache. The mount or an attribute of the file enables it.
#include "base/system/direct_io.h"

#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace fathom::base::system {
namespace {

const char* name_of_memory(long type) {
  if (type == TMPFS_MAGIC) return "tmpfs";
  if (type == RAMFS_MAGIC) return "ramfs";
  return type == HUGETLBFS_MAGIC ? "hugetlbfs" : nullptr;
}

bool has_attribute(int fd, int flag) {  // attributes of chattr(1)
  int flags = 0;
  return ::ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && (flags & flag) != 0;
}

bool mount_is_journaled(int fd) {
  struct stat st {};
  if (::fstat(fd, &st) != 0) return false;
  std::error_code ec;
  const auto number = std::to_string(major(st.st_dev)) + ":" + std::to_string(minor(st.st_dev));
  const auto device = std::filesystem::read_symlink("/sys/dev/block/" + number, ec).filename().string();
  std::ifstream options("/proc/fs/ext4/" + device + "/options");
  for (std::string line; !device.empty() && std::getline(options, line);)
    if (line == "data=journal") return true;
  return false;
}

// An option of the file's mount. False for a file of a nested btrfs subvolume, which has a device number of its own.
bool mount_has(int fd, std::string_view option) {
  struct stat st {};
  if (::fstat(fd, &st) != 0) return false;
  std::ifstream mounts("/proc/self/mountinfo");
  const auto number = " " + std::to_string(major(st.st_dev)) + ":" + std::to_string(minor(st.st_dev)) + " ";
  for (std::string line; std::getline(mounts, line);) {
    const auto at = line.find(" - ");  // "24 1 0:41 / /mnt rw - btrfs /dev/sda rw,nodatasum"
    if (at == std::string::npos || line.find(number) > at) continue;
    const auto options = "," + line.substr(line.rfind(' ') + 1) + ",";
    if (options.find("," + std::string(option) + ",") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::string why_not_direct(int fd) {
  struct statfs st;
  if (fd < 0 || ::fstatfs(fd, &st) != 0) return "";
  if (const char* memory = name_of_memory(st.f_type)) return std::string(memory) + ", which is memory";
  if (st.f_type != EXT4_SUPER_MAGIC) return "";
  if (mount_is_journaled(fd)) return "a file system that journals its data (mounted with data=journal)";
  return has_attribute(fd, FS_JOURNAL_DATA_FL) ? "a file system that journals its data (`chattr +j` of the file)" : "";
}

// The attribute NOCOW stands for the absence of checksums, too.
std::string why_writes_are_copied(int fd) {
  struct statfs st;
  if (fd < 0 || ::fstatfs(fd, &st) != 0 || st.f_type != BTRFS_SUPER_MAGIC) return "";
  if (has_attribute(fd, FS_NOCOW_FL) || mount_has(fd, "nodatasum") || mount_has(fd, "nodatacow")) return "";
  return "btrfs, which copies writes into the page cache, because their data have checksums";
}

bool is_always_synced(int fd) { return has_attribute(fd, FS_SYNC_FL); }

}  // namespace fathom::base::system
