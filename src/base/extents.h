// Where the bytes of a file lie on its device, as its file system tells it (FIEMAP,
// Documentation/filesystems/fiemap.rst). What lies between two extents is a hole. Thread-safe.
#pragma once
#include <cstdint>
#include <vector>

#include "base/error.h"

namespace fathom::base {

struct FileExtent {
  std::uint64_t offset = 0, length = 0, physical = 0;  // bytes
  std::uint32_t flags = 0;                             // FIEMAP_EXTENT_*
};
// One question, about bytes from `from` on: the extents, and how far it reached (~0: to the end of the file).
// flags: FIEMAP_FLAG_*. An Error holds errno.
Expected<std::vector<FileExtent>> file_extents(int fd, std::uint64_t from, std::uint32_t flags,
                                               std::uint64_t& known_to);

}  // namespace fathom::base
