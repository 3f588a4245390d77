// Finds the sectors of an I/O: one binary search per I/O for a file, only arithmetic for a device.
#include "split/place_map.h"

#include <algorithm>
#include <utility>

namespace fathom::split {
namespace {

constexpr unsigned kSectorShift = 9;

unsigned sectors_of(std::uint64_t bytes) { return static_cast<unsigned>((bytes + 511) >> kSectorShift); }

}  // namespace

PlaceMap PlaceMap::device(std::uint32_t dev, std::uint64_t first_sector) {
  PlaceMap map;
  map.dev_ = dev;
  map.whole_ = true;
  map.first_sector_ = first_sector;
  return map;
}

PlaceMap PlaceMap::file(std::uint32_t dev, std::vector<PlacedExtent> extents) {
  PlaceMap map;
  map.dev_ = dev;
  map.file_ = true;
  map.extents_ = std::move(extents);
  return map;
}

bool PlaceMap::any_reserved() const {
  return std::any_of(extents_.begin(), extents_.end(), [](const PlacedExtent& x) { return x.reserved; });
}

bool PlaceMap::covers(std::uint64_t bytes) const {
  if (whole_) return true;
  std::uint64_t to = 0;
  for (const auto& x : extents_)
    if (x.known && x.offset <= to) to = std::max(to, x.offset + x.length);
  return to >= bytes;
}

bool PlaceMap::empty(std::uint64_t offset, std::uint32_t length) const {
  if (!file_) return false;
  auto at = std::upper_bound(extents_.begin(), extents_.end(), offset,
                             [](std::uint64_t o, const PlacedExtent& x) { return o < x.offset; });
  if (at != extents_.begin()) --at;
  for (; at != extents_.end() && at->offset < offset + length; ++at)
    if (at->offset + at->length > offset && !at->reserved) return false;
  return true;
}

unsigned PlaceMap::pieces(std::uint64_t offset, std::uint32_t length, Piece* out) const {
  if (whole_) {
    out[0] = {first_sector_ + (offset >> kSectorShift), sectors_of((offset & 511) + length), 0};
    return 1;
  }
  auto at = std::upper_bound(extents_.begin(), extents_.end(), offset,
                             [](std::uint64_t o, const PlacedExtent& x) { return o < x.offset; });
  if (at == extents_.begin()) return 0;
  --at;
  const std::uint64_t end = offset + length;
  unsigned n = 0;
  for (std::uint64_t from = offset; from < end; ++at, ++n) {
    if (n == kPieces || at == extents_.end() || from < at->offset || from >= at->offset + at->length || !at->known)
      return 0;
    const std::uint64_t to = std::min(end, at->offset + at->length);
    const std::uint64_t within = from - at->offset;
    out[n] = {at->sector + (within >> kSectorShift), sectors_of((within & 511) + to - from), at->reserved ? 1u : 0u};
    from = to;
  }
  return n;
}

}  // namespace fathom::split
