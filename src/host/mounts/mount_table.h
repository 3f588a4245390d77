// The mount table: /proc/self/mountinfo (proc(5)) and /proc/swaps as values. In both, the kernel writes blanks in names
// as octal escapes. A mount's device number is the file system's. For btrfs and overlay it is anonymous (major 0), and
// only the source names the device.
#pragma once
#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::host::mounts {

struct Mount {
  dev_t device = 0;
  std::string mount_point;
  std::string options;  // of this mount, then of the file system; each once, as /proc/mounts shows them
  std::string file_system;
  std::string source;
  std::string root = "/";  // mounted part of the file system; for a cgroup hierarchy, the group at the mount point
};

// True for "tmpfs" and similar file systems: their files are in memory.
bool keeps_in_memory(std::string_view file_system);
std::string unescape_octal(std::string_view text);  // "a\040b" -> "a b"; other text is unchanged
std::vector<Mount> parse_mountinfo(std::string_view text);
std::vector<std::string> parse_swaps(std::string_view text);  // paths of swap devices and files

// The mount that holds a path without symbolic links: the longest mount point that leads to it. The last one, if
// several are mounted on top of each other.
const Mount* mount_holding(std::span<const Mount> mounts, std::string_view real_path);
// The devices that a mount's source names: "/dev/sda", "/dev/sda:/dev/sdb" (bcachefs); empty for tmpfs, nfs ...
std::vector<std::string> source_devices(const Mount& mount);

}  // namespace fathom::host::mounts
