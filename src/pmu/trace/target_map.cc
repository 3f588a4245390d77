// A disk that makes requests has a directory mq (blk-mq). A disk without it takes bios, and passes them on or serves
// them itself.
#include "pmu/trace/target_map.h"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/extents.h"
#include "base/system/fd.h"
#include "host/disk/block_tree.h"
#include "host/disk/btrfs_chunks.h"

namespace fathom::pmu::trace {
namespace {

constexpr std::uint64_t kSector = 512;
constexpr std::uint32_t kUntold = FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_INLINE;

base::Error no_device(const std::string& path, const std::string& cause) {
  base::Error e;
  e.kind = base::ErrorKind::io;
  e.what = path + " cannot be followed to a disk";
  e.cause = cause;
  return e;
}

}  // namespace

std::uint32_t kernel_dev(dev_t device) { return static_cast<std::uint32_t>(major(device) << 20 | minor(device)); }

bool takes_bios(const std::string& disk) { return ::access(("/sys/class/block/" + disk + "/mq").c_str(), F_OK) != 0; }

base::Expected<TargetMap> TargetMap::of(const host::placement::Placement& target, Written written) {
  const std::string& path = target.path;
  struct stat st {};  // current: the placement may be older than the file
  if (::stat(path.c_str(), &st) != 0) return base::system_error("look at " + path, errno);
  const bool device = S_ISBLK(st.st_mode);
  if (!device && !S_ISREG(st.st_mode)) return no_device(path, "the target is neither a file nor a block device");
  // An overlay shows where its layers' files are. The device is known only if all layers are on one.
  const bool layered =
      !device && target.file_system == "overlay" && major(target.device) != 0 && !target.may_lie_elsewhere;
  const bool chunked = !device && target.file_system == "btrfs" && major(target.device) != 0;
  if (major(device ? st.st_rdev : st.st_dev) == 0 && !layered && !chunked)
    return no_device(path, "its file system has no block device (tmpfs, …)");
  if (chunked && written != Written::no)
    return no_device(path, "its file system (btrfs) writes each block to another place");
  if (!device && target.file_system == "xfs" && written == Written::atomically)
    return no_device(path, "its file system (xfs) makes a write atomic by writing it to another place");
  if (target.device_name.empty()) return no_device(path, "sysfs does not show its block device");
  TargetMap map;
  map.path_ = path;
  map.disk_ = target.disk;
  map.part_dev_ = kernel_dev(target.device);
  map.disk_dev_ = kernel_dev(host::disk::BlockTree().device_of(map.disk_).value_or(target.device));
  if (target.partition && target.first_sector == 0)
    return no_device(path, "sysfs does not show where partition " + target.device_name + " begins");
  map.first_sector_ = target.first_sector;
  map.bios_ = takes_bios(map.disk_);
  map.whole_ = device;
  map.untold_ = kUntold | (written == Written::no ? 0u : unsigned{FIEMAP_EXTENT_SHARED});
  if (!device)
    if (auto ok = map.ask_all(); !ok) return ok.error();
  if (chunked)
    if (auto ok = map.place_by_chunks(); !ok) return ok.error();
  return map;
}

fathom::split::PlaceMap TargetMap::unplaced(const std::string& path) {
  TargetMap map;
  map.path_ = path;
  map.untold_ = kUntold;
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode) || !map.ask_all()) return {};
  for (auto& x : map.extents_) x.place = Place::untold;
  return map.places();
}

base::Expected<std::vector<TargetMap::Extent>> TargetMap::ask(int fd, std::uint64_t from, std::uint32_t flags,
                                                              std::uint64_t& known_to) const {
  const auto found = base::file_extents(fd, from, flags, known_to);
  if (!found) {
    auto e = found.error();
    e.what = "ask where " + path_ + " lies (FIEMAP)";
    e.cause = "the file system does not report the file's extents";
    return e;
  }
  std::vector<Extent> out;
  for (const auto& x : *found) {
    const Place place = (x.flags & FIEMAP_EXTENT_DELALLOC) != 0 ? Place::waiting
                        : (x.flags & untold_) != 0              ? Place::untold
                                                                : Place::told;
    out.push_back({x.offset, x.length, x.physical, place, (x.flags & FIEMAP_EXTENT_UNWRITTEN) != 0});
  }
  return out;
}

base::Expected<void> TargetMap::ask_all() {
  const base::system::UniqueFd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return base::system_error("open " + path_, errno);
  for (std::uint64_t from = 0; from != ~0ull;) {
    auto found = ask(fd.get(), from, FIEMAP_FLAG_SYNC, from);
    if (!found) return found.error();
    extents_.insert(extents_.end(), found->begin(), found->end());
  }
  return {};
}

// An extent has no place unless all of its bytes have one place.
base::Expected<void> TargetMap::place_by_chunks() {
  const base::system::UniqueFd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return base::system_error("open " + path_, errno);
  const auto chunks = host::disk::btrfs_chunks(fd.get());
  if (!chunks && chunks.error().sys_errno == ENODEV)
    return no_device(path_, "the btrfs has several devices, and the device of each block is not known");
  if (!chunks) return no_device(path_, chunks.error().what + ": " + chunks.error().cause);
  std::vector<Extent> placed;
  for (auto x : extents_) {
    if (x.place != Place::told) {
      placed.push_back(x);
      continue;
    }
    const auto pieces = host::disk::on_device({x.offset, x.length, x.physical, 0}, *chunks);
    std::uint64_t known = 0;
    for (const auto& piece : pieces) known += piece.length;
    if (known == x.length) {
      for (const auto& p : pieces) placed.push_back({p.offset, p.length, p.physical, Place::told, x.reserved});
    } else {
      x.place = Place::untold;
      placed.push_back(x);
    }
  }
  extents_ = std::move(placed);
  return {};
}

fathom::split::PlaceMap TargetMap::places() const {
  if (whole_) return fathom::split::PlaceMap::device(disk_dev_, first_sector_);
  std::vector<fathom::split::PlacedExtent> extents;
  for (const auto& x : extents_)
    extents.push_back({x.offset, x.length, first_sector_ + x.physical / kSector, x.reserved, x.place == Place::told});
  return fathom::split::PlaceMap::file(disk_dev_, std::move(extents));
}

std::vector<Sectors> TargetMap::sectors(std::uint64_t device_bytes) const {
  std::vector<Sectors> out;
  const auto add = [&](std::uint64_t physical, std::uint64_t bytes) {
    out.push_back({first_sector_ + physical / kSector, first_sector_ + (physical + bytes + kSector - 1) / kSector});
  };
  if (whole_) add(0, device_bytes);
  for (const auto& x : extents_)
    if (x.place == Place::told) add(x.physical, x.length);
  return out;
}

}  // namespace fathom::pmu::trace
