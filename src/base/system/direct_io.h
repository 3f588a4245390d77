// What a file system does with a file's I/O regardless of the flags of open(2): whether O_DIRECT has an effect, and
// whether each write is synchronous. Some file systems accept O_DIRECT and do the I/O through memory: memory file
// systems, and ext3 and ext4 for data that go through the journal. Thread-safe.
// Source: fstatfs(2), FS_IOC_GETFLAGS, /proc/fs/ext4/NAME/options (as mounted, or as the file system's own default).
#pragma once
#include <string>

namespace fathom::base::system {

// "tmpfs, which is memory": the file system of an open file, if its direct I/O is known to go through memory. Empty:
// not known to.
std::string why_not_direct(int fd);

// "btrfs, which ...": a file system that accepts O_DIRECT and may, by its version, copy each write into the page cache,
// write it from there, and wait for it. Empty: not known to. btrfs does so for data with checksums (Linux 6.14 and later).
std::string why_writes_are_copied(int fd);

// Each write to the open file waits for the device, as with O_SYNC (chattr +S).
bool is_always_synced(int fd);

}  // namespace fathom::base::system
