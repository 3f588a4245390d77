// Trim and sync: a plain system call is as good as any submission interface. fio issues both synchronously, and fathom
// does the same. A trim is BLKDISCARD on a block device, and a punched hole (which keeps the size) in a regular file.
// Both return the result of a Completion: bytes (0 for sync, the length of a range) or -errno. Any thread.
#pragma once
#include <cstdint>

#include "io/request.h"
#include "io/target.h"

namespace fathom::engine {

std::int32_t trim_range(const io::Target& target, const io::Request& request);
std::int32_t sync_file(int fd, const io::Request& request);  // fdatasync or sync_file_range, as the request states

}  // namespace fathom::engine
