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

}  // namespace

std::string why_not_direct(int fd) {
  struct statfs st;
  if (fd < 0 || ::fstatfs(fd, &st) != 0) return "";
  if (const char* memory = name_of_memory(st.f_type)) return std::string(memory) + ", which is memory";
  if (st.f_type != EXT4_SUPER_MAGIC) return "";
  if (mount_is_journaled(fd)) return "a file system that journals its data (mounted with data=journal)";
  return has_attribute(fd, FS_JOURNAL_DATA_FL) ? "a file system that journals its data (`chattr +j` of the file)" : "";
}

bool is_always_synced(int fd) { return has_attribute(fd, FS_SYNC_FL); }

}  // namespace fathom::base::system
