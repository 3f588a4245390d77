// Where the bytes of one target lie on its disk, as the loop asks for each I/O: sorted, plain, never changed while the
// loop runs. Taken after the files were laid out; what a file has got since has no place here, and such an I/O is found
// by its task or not at all. Thread rule: const members are thread-safe.
#pragma once
#include <cstdint>
#include <vector>

#include "split/region.h"

namespace fathom::split {

struct PlacedExtent {
  std::uint64_t offset = 0, length = 0;  // bytes within the target
  std::uint64_t sector = 0;              // of the whole disk
  bool reserved = false;                 // no byte of it was ever written: writing cuts it, and bios with it
};

class PlaceMap {
 public:
  PlaceMap() = default;  // nothing is known
  // A whole device or a partition; first_sector: where it begins on the disk.
  static PlaceMap device(std::uint32_t dev, std::uint64_t first_sector);
  // extents: rising by offset, without those whose place is not known.
  static PlaceMap file(std::uint32_t dev, std::vector<PlacedExtent> extents);

  bool any_reserved() const;
  // The disk as region.h numbers it; 0: not known.
  std::uint32_t dev() const { return dev_; }
  // The pieces of bytes [offset, offset + length), at most kPieces; 0: of some byte it is not known, or they are more.
  unsigned pieces(std::uint64_t offset, std::uint32_t length, Piece* out) const;

 private:
  std::uint32_t dev_ = 0;
  bool whole_ = false;
  std::uint64_t first_sector_ = 0;
  std::vector<PlacedExtent> extents_;
};

}  // namespace fathom::split
