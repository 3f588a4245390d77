// Files behind attached loop devices. A write to such a file writes to the device, and to file systems mounted from it.
// Thread-safe; changes nothing.
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
  std::vector<FileIdentity> files;  // the file, and for a file on an overlay the layer's file; empty: unknown
  std::uint64_t start = 0, end = ~std::uint64_t{0};  // of the file
  bool backed_by(const FileIdentity& file) const;
  bool shares_bytes_with(const LoopBacking& other) const;
};

// Every attached loop device that /sys or /dev lists. The loop driver names the file (LOOP_GET_STATUS64) if the device
// can be opened. If permission is denied (EACCES), the path in /sys is used; for a deleted file, or one of another root
// directory, it leads nowhere. After other errors the files are unknown.
std::vector<LoopBacking> loop_backings(std::span<const Mount> mounts);
// Why the result of loop_backings() may be incomplete; empty: it is complete. A container may hide /sys.
std::string loops_unknown();
// The files that a write reaches: the file itself, and for a file on an overlay the upper layer's.
std::vector<FileIdentity> written_files(const std::string& path, const FileIdentity& file,
                                        std::span<const Mount> mounts);

}  // namespace fathom::host::mounts
