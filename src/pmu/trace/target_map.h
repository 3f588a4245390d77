// Where the bytes of a file lie on its disk: a block device is itself, a partition begins somewhere on its disk, and a
// file's extents are asked of its file system (FIEMAP, Documentation/filesystems/fiemap.rst). Taken after the files
// were laid out; what a file has got since is asked again when an I/O went there. Errors say why nothing can be
// matched: a file system without a block device of its own (tmpfs, btrfs, overlay), or one that does not tell. Const
// members are thread-safe with each other.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "host/placement/placement.h"
#include "split/place_map.h"

namespace fathom::pmu::trace {

// Where some of an I/O lies. Sectors are 512 bytes, of the whole disk.
struct Piece {
  std::uint32_t dev = 0;  // the disk, as the kernel numbers it inside
  std::uint64_t sector = 0, sectors = 0;
  bool bios = false;  // the disk has no requests
};

class TargetMap {
 public:
  static base::Expected<TargetMap> of(const host::placement::Placement& target);
  // Of a file that cannot be followed: which bytes were ever written, if its file system tells that.
  static fathom::split::PlaceMap unplaced(const std::string& path);
  // Of the bytes asked for: those with a place on the disk, those that wait for one (delayed allocation), and those
  // whose place the file system does not tell (compressed, inside an inode). The rest are holes. Of the placed, those
  // that were only reserved when it was asked: a read of them is answered with zeroes, a write goes there.
  struct Cover {
    std::uint64_t placed = 0, waiting = 0, untold = 0, reserved = 0;
  };
  // The pieces of bytes [offset, offset + length); holes have none.
  Cover pieces(std::uint64_t offset, std::uint64_t length, std::vector<Piece>& out) const;
  // Asks again where bytes [from, to) lie, as far as a few questions reach. One open and an ioctl a question, each
  // under the file's lock.
  void ask_again(std::uint64_t from, std::uint64_t to);
  // The same as the loop asks for it. What was not told, or waits for its place, has none.
  fathom::split::PlaceMap places() const;
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
  base::Expected<void> ask_all();
  void replace(std::uint64_t from, std::uint64_t to, const std::vector<Extent>& found);

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
