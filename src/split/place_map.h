// Where the bytes of one target lie on its disk, as the loop asks for each I/O: sorted, plain, never changed while the
// loop runs. Taken after the files were laid out; what a file has got since has no place here, and such an I/O is found
// by its task or not at all. Also what of its file system tells how its fsyncs end. Thread rule: const members are thread-safe.
#pragma once
#include <cstdint>
#include <vector>

#include "split/region.h"

namespace fathom::split {

struct PlacedExtent {
  std::uint64_t offset = 0, length = 0;  // bytes within the target
  std::uint64_t sector = 0;              // of the whole disk
  bool reserved = false;                 // no byte of it was ever written: writing cuts it, and bios with it
  bool known = true;                     // false: something is there, but not where
};

// How an fsync of the target ends: its commits are seen of which file system's device, if of any.
struct Journal {
  static constexpr std::uint32_t kNone = ~0u, kAny = 0;
  std::uint32_t dev = kNone;  // as region.h numbers devices; kNone: no journal lies below; kAny: of which is not known
  bool only_whole = false;    // its events are not known: an fsync is not divided
  bool told = false;          // the events say which commit an fsync needs, or that it needs none
};

class PlaceMap {
 public:
  PlaceMap() = default;  // nothing is known
  // A whole device or a partition; first_sector: where it begins on the disk.
  static PlaceMap device(std::uint32_t dev, std::uint64_t first_sector);
  // extents: rising by offset.
  static PlaceMap file(std::uint32_t dev, std::vector<PlacedExtent> extents);

  Journal journal;

  bool any_reserved() const;
  // Of bytes [0, bytes) it is known where each lies.
  bool covers(std::uint64_t bytes) const;
  // Of bytes [offset, offset + length) none was ever written: a read is answered without the disk.
  bool empty(std::uint64_t offset, std::uint32_t length) const;
  // The disk as region.h numbers it; 0: not known.
  std::uint32_t dev() const { return dev_; }
  // The pieces of bytes [offset, offset + length), at most kPieces; 0: of some byte it is not known, or they are more.
  unsigned pieces(std::uint64_t offset, std::uint32_t length, Piece* out) const;

 private:
  std::uint32_t dev_ = 0;
  bool whole_ = false, file_ = false;
  std::uint64_t first_sector_ = 0;
  std::vector<PlacedExtent> extents_;
};

}  // namespace fathom::split
