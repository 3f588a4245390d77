// Queries extents in groups of some hundreds. A flag marks the last extent of a file.
#include "base/extents.h"

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace fathom::base {

Expected<std::vector<FileExtent>> file_extents(int fd, std::uint64_t from, std::uint32_t flags,
                                               std::uint64_t& known_to) {
  constexpr std::uint32_t kAtOnce = 256;
  constexpr std::size_t kBytes = sizeof(fiemap) + kAtOnce * sizeof(fiemap_extent);
  const auto buffer = std::make_unique<std::uint64_t[]>(kBytes / sizeof(std::uint64_t) + 1);
  auto* const question = reinterpret_cast<fiemap*>(buffer.get());
  question->fm_start = from;
  question->fm_length = ~0ull - from;
  question->fm_flags = flags;
  question->fm_extent_count = kAtOnce;
  if (::ioctl(fd, FS_IOC_FIEMAP, question) != 0) return system_error("locate a file on its disk (FIEMAP)", errno);
  std::vector<FileExtent> out;
  known_to = ~0ull;
  for (std::uint32_t i = 0; i < question->fm_mapped_extents; ++i) {
    const auto& x = question->fm_extents[i];
    out.push_back({x.fe_logical, x.fe_length, x.fe_physical, x.fe_flags});
    const bool more = question->fm_mapped_extents == kAtOnce && (x.fe_flags & FIEMAP_EXTENT_LAST) == 0;
    known_to = more ? x.fe_logical + x.fe_length : ~0ull;
  }
  return out;
}

std::optional<FilePlaces> file_places(int fd, std::uint64_t start, std::uint64_t length) {
  constexpr int kMostQuestions = 64;
  constexpr std::uint32_t kOther = FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_INLINE;
  const std::uint64_t end = start + length;
  FilePlaces places;
  double there = 0;
  int questions = 0;
  for (std::uint64_t from = start; from < end;) {
    if (fd < 0 || ++questions > kMostQuestions) return std::nullopt;
    const auto extents = file_extents(fd, from, 0, from);
    if (!extents) return std::nullopt;
    for (const auto& x : *extents) {
      const std::uint64_t first = std::max(x.offset, start), last = std::min(x.offset + x.length, end);
      if (last <= first) continue;
      const auto bytes = static_cast<double>(last - first);
      there += bytes;
      if ((x.flags & FIEMAP_EXTENT_UNWRITTEN) != 0) places.reserved += bytes;
      if ((x.flags & kOther) != 0) places.plain = false;
      const auto encoded = x.flags & (FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_ENCRYPTED);
      if (encoded == FIEMAP_EXTENT_ENCODED) places.compressed += bytes;
    }
  }
  places.holes = std::max(0.0, static_cast<double>(length) - there);
  return places;
}

}  // namespace fathom::base
