// What a file system makes of a file's I/O, whatever its descriptor asks for: whether O_DIRECT means anything. Some file systems accept it and do the I/O through memory: those that are
// memory, and ext3 and ext4 for data that go through the journal. Thread-safe.
// Source: fstatfs(2), FS_IOC_GETFLAGS, /proc/fs/ext4/NAME/options (as mounted, or as the file system's own default).
#pragma once
#include <string>

namespace fathom::base::system {

// "tmpfs, which is memory": on what an open file lies, where direct I/O of it is known to go through memory. "": it is
// not known to.
std::string why_not_direct(int fd);

// Each write to the open file waits for the device, as with O_SYNC (chattr +S).
bool is_always_synced(int fd);

}  // namespace fathom::base::system
