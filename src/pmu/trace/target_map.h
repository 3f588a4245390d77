// Maps the bytes of a file to locations on its disk. A block device maps to itself, and a partition begins somewhere on
// its disk. A file's extents come from its file system (FIEMAP, Documentation/filesystems/fiemap.rst). btrfs reports
// extents in its own address space, so its chunks are queried too. The map is made after the files are laid out;
// extents that a file gets later have no location here.
// Errors state why there are no locations: a file system without its own block device (tmpfs, an overlay with hidden
// layers), or one that does not report them. Const members are thread-safe with each other.
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
  // Written data goes to a new place on btrfs, and in a write that xfs makes atomic by itself (RWF_ATOMIC). Nothing is
  // then known about a file that is written, nor about its extents that are shared with a clone.
  enum class Written { no, in_place, atomically };
  static base::Expected<TargetMap> of(const host::placement::Placement& target, Written written = Written::in_place);
  // For a file without a map: which bytes were ever written, if its file system reports that.
  static fathom::split::PlaceMap unplaced(const std::string& path);
  // The map for the loop. Extents that were not reported, or are not allocated yet, have no location.
  fathom::split::PlaceMap places() const;
  // All its sectors. device_bytes: the size, if it is a device.
  std::vector<Sectors> sectors(std::uint64_t device_bytes) const;
  const std::string& disk() const { return disk_; }  // whole disk: "vda"
  bool bios() const { return bios_; }
  // Device numbers that its events may have, as BlockEvent::dev: the disk, and the partition.
  std::uint32_t disk_dev() const { return disk_dev_; }
  std::uint32_t part_dev() const { return part_dev_; }

 private:
  enum class Place { told, waiting, untold };
  struct Extent {
    std::uint64_t offset, length, physical;  // bytes; physical: on the partition or disk
    Place place;
    bool reserved;  // no byte of it was ever written
  };
  // Extents from one query; known_to: how far it reached.
  base::Expected<std::vector<Extent>> ask(int fd, std::uint64_t from, std::uint32_t flags,
                                          std::uint64_t& known_to) const;
  std::uint32_t untold_ = 0;  // FIEMAP_EXTENT_*: an extent with one of them has no location
  base::Expected<void> ask_all();
  base::Expected<void> place_by_chunks();

  std::string path_, disk_;
  bool bios_ = false;
  std::uint32_t disk_dev_ = 0, part_dev_ = 0;
  std::uint64_t first_sector_ = 0;  // of the partition
  std::vector<Extent> extents_;     // by offset; empty: the device itself
  bool whole_ = false;
};

// A disk that makes no requests: it receives bios, and forwards them or serves them itself.
bool takes_bios(const std::string& disk);

// The kernel's own form of a device number.
std::uint32_t kernel_dev(dev_t device);

}  // namespace fathom::pmu::trace
