// Locations of a file's bytes on its device, from the file system (FIEMAP, Documentation/filesystems/fiemap.rst). The
// bytes between two extents are a hole. Thread-safe.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"

namespace fathom::base {

struct FileExtent {
  std::uint64_t offset = 0, length = 0, physical = 0;  // bytes
  std::uint32_t flags = 0;                             // FIEMAP_EXTENT_*
};
// One FIEMAP query for the bytes from `from` on. Returns the extents; known_to: the offset that the query reached (~0:
// the end of the file). flags: FIEMAP_FLAG_*. An Error holds errno.
Expected<std::vector<FileExtent>> file_extents(int fd, std::uint64_t from, std::uint32_t flags,
                                               std::uint64_t& known_to);

// The content of [start, start + length) of an open file. nullopt: the file system does not support the query, or the
// file has too many extents to query before a run.
struct FilePlaces {
  double holes = 0, reserved = 0, compressed = 0;  // bytes
  bool plain = true;                               // all bytes are stored as they are
};
std::optional<FilePlaces> file_places(int fd, std::uint64_t start, std::uint64_t length);

}  // namespace fathom::base
