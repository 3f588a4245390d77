// Maps the bytes of one target to locations on its disk. The loop looks up each I/O. The map is sorted, plain, and
// never changes while the loop runs. It is made after the files are laid out. Extents that a file gets later have no
// location here: such an I/O is found by its task or not at all. The map also has what is known about how the file
// system ends an fsync.
// Thread rule: const members are thread-safe.
#pragma once
#include <cstdint>
#include <vector>

#include "split/region.h"

namespace fathom::split {

struct PlacedExtent {
  std::uint64_t offset = 0, length = 0;  // bytes within the target
  std::uint64_t sector = 0;              // of the whole disk
  bool reserved = false;                 // no byte of it was ever written: a write splits it, and its bios too
  bool known = true;                     // false: the extent exists, but its location is unknown
};

// How an fsync of the target ends: the file system device with commits that can be seen, if there is one.
struct Journal {
  static constexpr std::uint32_t kNone = ~0u, kAny = 0;
  std::uint32_t dev = kNone;  // as region.h numbers devices; kNone: no journal below; kAny: device unknown
  bool only_whole = false;    // its events are unknown: an fsync gets no breakdown
  bool told = false;          // the events have the commit that an fsync needs, or that it needs none
};

class PlaceMap {
 public:
  PlaceMap() = default;  // all locations unknown
  // A whole device or a partition; first_sector: where it begins on the disk.
  static PlaceMap device(std::uint32_t dev, std::uint64_t first_sector);
  // extents: in rising order of offset.
  static PlaceMap file(std::uint32_t dev, std::vector<PlacedExtent> extents);

  Journal journal;

  bool any_reserved() const;
  // True if the location of each byte in [0, bytes) is known.
  bool covers(std::uint64_t bytes) const;
  // True if no byte of [offset, offset + length) was ever written: a read does not need the disk.
  bool empty(std::uint64_t offset, std::uint32_t length) const;
  // The disk as region.h numbers it; 0: unknown.
  std::uint32_t dev() const { return dev_; }
  // The pieces of bytes [offset, offset + length), at most kPieces; 0: the location of some byte is unknown, or there
  // are more pieces.
  unsigned pieces(std::uint64_t offset, std::uint32_t length, Piece* out) const;

 private:
  std::uint32_t dev_ = 0;
  bool whole_ = false, file_ = false;
  std::uint64_t first_sector_ = 0;
  std::vector<PlacedExtent> extents_;
};

}  // namespace fathom::split
