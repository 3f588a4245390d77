// What no submission interface does better than a plain system call: trim and sync. fio issues both synchronously, so
// do we. A trim is BLKDISCARD on a block device and a punched hole (the size is kept) in a regular file. Both return
// what a Completion carries: bytes (0 for sync, the length of a range) or -errno. Any thread.
#pragma once
#include <cstdint>

#include "io/request.h"
#include "io/target.h"

namespace fathom::engine {

std::int32_t trim_range(const io::Target& target, const io::Request& request);
std::int32_t sync_file(int fd, const io::Request& request);  // fdatasync or sync_file_range where it says so

}  // namespace fathom::engine
