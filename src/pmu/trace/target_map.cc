// A disk that makes requests has a folder mq (blk-mq); one without takes bios and hands them on or serves them itself.
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

base::Expected<TargetMap> TargetMap::of(const host::placement::Placement& target) {
  const std::string& path = target.path;
  struct stat st {};  // of now: the placement may be older than the file
  if (::stat(path.c_str(), &st) != 0) return base::system_error("look at " + path, errno);
  const bool device = S_ISBLK(st.st_mode);
  if (!device && !S_ISREG(st.st_mode)) return no_device(path, "it is neither a file nor a block device");
  // An overlay tells where its layers' files lie; on which device is known where all layers are on one.
  const bool layered =
      !device && target.file_system == "overlay" && major(target.device) != 0 && !target.may_lie_elsewhere;
  if (major(device ? st.st_rdev : st.st_dev) == 0 && !layered)
    return no_device(path, "its file system has no block device of its own (tmpfs, btrfs, …)");
  if (target.device_name.empty()) return no_device(path, "sysfs does not show its block device");
  TargetMap map;
  map.path_ = path;
  map.disk_ = target.disk;
  map.part_dev_ = kernel_dev(target.device);
  map.disk_dev_ = kernel_dev(host::disk::BlockTree().device_of(map.disk_).value_or(target.device));
  if (target.partition && target.first_sector == 0)
    return no_device(path, "sysfs does not say where partition " + target.device_name + " begins");
  map.first_sector_ = target.first_sector;
  map.bios_ = takes_bios(map.disk_);
  map.whole_ = device;
  if (!device)
    if (auto ok = map.ask_all(); !ok) return ok.error();
  return map;
}

fathom::split::PlaceMap TargetMap::unplaced(const std::string& path) {
  TargetMap map;
  map.path_ = path;
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
    e.cause = "its file system does not tell";
    return e;
  }
  std::vector<Extent> out;
  for (const auto& x : *found) {
    const Place place = (x.flags & FIEMAP_EXTENT_DELALLOC) != 0 ? Place::waiting
                        : (x.flags & kUntold) != 0              ? Place::untold
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

void TargetMap::replace(std::uint64_t from, std::uint64_t to, const std::vector<Extent>& found) {
  const auto begins_before = [](const Extent& x, std::uint64_t o) { return x.offset < o; };
  if (!found.empty()) from = std::min(from, found.front().offset);
  const auto first = std::lower_bound(extents_.begin(), extents_.end(), from, begins_before);
  if (first != extents_.begin()) {
    auto& before = *std::prev(first);
    before.length = std::min(before.length, from - before.offset);
  }
  const auto last = std::lower_bound(first, extents_.end(), to, begins_before);
  extents_.insert(extents_.erase(first, last), found.begin(), found.end());
}

void TargetMap::ask_again(std::uint64_t from, std::uint64_t to) {
  constexpr int kMostQuestions = 16;
  if (whole_) return;
  const base::system::UniqueFd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return;
  for (int i = 0; i < kMostQuestions && from < to; ++i) {
    std::uint64_t known_to = 0;
    const auto found = ask(fd.get(), from, 0, known_to);
    if (!found) return;
    replace(from, known_to, *found);
    from = known_to;
  }
}

fathom::split::PlaceMap TargetMap::places() const {
  if (whole_) return fathom::split::PlaceMap::device(disk_dev_, first_sector_);
  std::vector<fathom::split::PlacedExtent> extents;
  for (const auto& x : extents_)
    extents.push_back({x.offset, x.length, first_sector_ + x.physical / kSector, x.reserved, x.place == Place::told});
  return fathom::split::PlaceMap::file(disk_dev_, std::move(extents));
}

TargetMap::Cover TargetMap::pieces(std::uint64_t offset, std::uint64_t length, std::vector<Piece>& out) const {
  const auto add = [&](std::uint64_t physical, std::uint64_t bytes) {
    const std::uint64_t begin = physical / kSector, end = (physical + bytes + kSector - 1) / kSector;
    out.push_back({disk_dev_, first_sector_ + begin, end - begin, bios_});
  };
  Cover cover;
  if (whole_) {
    add(offset, length);
    cover.placed = length;
    return cover;
  }
  auto at = std::upper_bound(extents_.begin(), extents_.end(), offset,
                             [](std::uint64_t o, const Extent& x) { return o < x.offset; });
  if (at != extents_.begin()) --at;
  for (; at != extents_.end() && at->offset < offset + length; ++at) {
    const std::uint64_t begin = std::max(offset, at->offset), end = std::min(offset + length, at->offset + at->length);
    if (end <= begin) continue;
    std::uint64_t Cover::*const kinds[] = {&Cover::placed, &Cover::waiting, &Cover::untold};
    cover.*kinds[static_cast<int>(at->place)] += end - begin;
    if (at->reserved) cover.reserved += end - begin;
    if (at->place == Place::told) add(at->physical + (begin - at->offset), end - begin);
  }
  return cover;
}

}  // namespace fathom::pmu::trace
