// Where the bytes of a file lie on its disk: a block device is itself, a partition begins somewhere on its disk, and a
// file's extents are asked of its file system (FIEMAP, Documentation/filesystems/fiemap.rst); of btrfs, whose extents are
// among addresses of its own, its chunks are asked as well. Taken after the files were laid out; what a file has got since
// has no place here. Errors say why nothing can be placed: a file system without a block device of its own (tmpfs, an
// overlay whose layers are out of sight), or one that does not tell. Const members are thread-safe with each other.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "host/placement/placement.h"
#include "split/place_map.h"

namespace fathom::pmu::trace {

struct Sectors {
  std::uint64_t begin, end;  // of the whole disk, 512 bytes each
};

class TargetMap {
 public:
  // What is written goes to another place where a btrfs, or a write that xfs makes atomic by itself (RWF_ATOMIC), puts it
  // beside what is there: of a file that is written so nothing is known. Nor of extents that a file shares with a clone.
  enum class Written { no, in_place, atomically };
  static base::Expected<TargetMap> of(const host::placement::Placement& target, Written written = Written::in_place);
  // Of a file that cannot be followed: which bytes were ever written, if its file system tells that.
  static fathom::split::PlaceMap unplaced(const std::string& path);
  // As the loop asks for it. What was not told, or waits for its place, has none.
  fathom::split::PlaceMap places() const;
  // All that it lies on. device_bytes: the size, where it is a device.
  std::vector<Sectors> sectors(std::uint64_t device_bytes) const;
  const std::string& disk() const { return disk_; }  // whole disk: "vda"
  bool bios() const { return bios_; }
  // Numbers under which its events may come, as BlockEvent::dev: the disk, and the partition.
  std::uint32_t disk_dev() const { return disk_dev_; }
  std::uint32_t part_dev() const { return part_dev_; }

 private:
  enum class Place { told, waiting, untold };
  struct Extent {
    std::uint64_t offset, length, physical;  // bytes; physical: on the partition or disk
    Place place;
    bool reserved;  // no byte of it was ever written
  };
  // Extents from one question; known_to: how far it reached.
  base::Expected<std::vector<Extent>> ask(int fd, std::uint64_t from, std::uint32_t flags,
                                          std::uint64_t& known_to) const;
  std::uint32_t untold_ = 0;  // FIEMAP_EXTENT_*: an extent with one of them has no place
  base::Expected<void> ask_all();
  base::Expected<void> place_by_chunks();

  std::string path_, disk_;
  bool bios_ = false;
  std::uint32_t disk_dev_ = 0, part_dev_ = 0;
  std::uint64_t first_sector_ = 0;  // of the partition
  std::vector<Extent> extents_;     // by offset; empty: the device itself
  bool whole_ = false;
};

// A disk that makes no requests: it takes bios, and hands them on or serves them itself.
bool takes_bios(const std::string& disk);

// The kernel's own form of a device number.
std::uint32_t kernel_dev(dev_t device);

}  // namespace fathom::pmu::trace
