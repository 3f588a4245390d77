// Where the bytes of a file lie on its device, as its file system tells it (FIEMAP,
// Documentation/filesystems/fiemap.rst). What lies between two extents is a hole. Thread-safe.
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
// One question, about bytes from `from` on: the extents, and how far it reached (~0: to the end of the file).
// flags: FIEMAP_FLAG_*. An Error holds errno.
Expected<std::vector<FileExtent>> file_extents(int fd, std::uint64_t from, std::uint32_t flags,
                                               std::uint64_t& known_to);

// What lies in [start, start + length) of an open file. Nothing: its file system does not tell, or it has too many
// extents to ask for before a run.
struct FilePlaces {
  double holes = 0, reserved = 0, compressed = 0;  // bytes
  bool plain = true;                               // all bytes are stored as they are
};
std::optional<FilePlaces> file_places(int fd, std::uint64_t start, std::uint64_t length);

}  // namespace fathom::base
