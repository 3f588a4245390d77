// Files that attached loop devices lie on: who writes to such a file writes to the device, and to what is mounted from
// it. Thread-safe; looks, and changes nothing.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/mounts/mount_table.h"

namespace fathom::host::mounts {

struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

struct LoopBacking {
  std::string loop;                 // "loop3"
  std::string path;                 // as the kernel prints it
  std::vector<FileIdentity> files;  // that it lies on: the file, and of one on an overlay the layer's; empty: not known
  std::uint64_t start = 0, end = ~std::uint64_t{0};  // of the file
  bool backed_by(const FileIdentity& file) const;
  bool shares_bytes_with(const LoopBacking& other) const;
};

// Every attached loop device that /sys or /dev names. By the loop driver's own word (LOOP_GET_STATUS64) where the device
// may be opened; a user who may not goes by the path in /sys, which of a deleted file, or one of another root folder,
// leads nowhere.
std::vector<LoopBacking> loop_backings(std::span<const Mount> mounts);
// Why loop_backings() may not know all; empty: it does. A container may hide /sys.
std::string loops_unknown();
// What a write to the file reaches: itself, and of one on an overlay the upper layer's.
std::vector<FileIdentity> written_files(const std::string& path, const FileIdentity& file,
                                        std::span<const Mount> mounts);

}  // namespace fathom::host::mounts
