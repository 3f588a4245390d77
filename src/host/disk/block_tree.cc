// A partition is a directory inside its disk's directory, with a file "partition". Everything else follows from links.
// Each driver has its serial numbers in another place, so this tries a list of places: the first hit counts.
#include "host/disk/block_tree.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "base/text/parse.h"
#include "host/proc/text_file.h"

namespace fathom::host::disk {
namespace {

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// The kernel writes a '/' in a device name ("cciss/c0d0") as '!'. Only the last part of the path is needed.
std::string last_part(const std::filesystem::path& path) { return path.filename().string(); }

// SCSI vital product data page 0x80 (SPC): four bytes of header, then the serial number in ASCII.
std::string vpd_serial(const std::string& page) {
  constexpr std::size_t kHeaderBytes = 4;
  return page.size() > kHeaderBytes ? std::string(base::text::trim(page.c_str() + kHeaderBytes)) : std::string();
}

struct ModelPlace {
  const char* file;
  const char* before;
};
constexpr ModelPlace kModelPlaces[] = {
    {"device/model", ""}, {"dm/name", "device-mapper "}, {"loop/backing_file", "loop of "}, {"md/level", "md "}};

}  // namespace

std::string BlockTree::name_of(dev_t device) const {
  char number[32];
  std::snprintf(number, sizeof number, "%u:%u", major(device), minor(device));
  std::error_code ec;
  const auto link = std::filesystem::read_symlink(prefix_ + "/sys/dev/block/" + number, ec);
  return ec ? std::string() : last_part(link);
}

std::optional<dev_t> BlockTree::device_of(const std::string& name) const {
  unsigned major = 0, minor = 0;
  if (std::sscanf(attribute(name, "dev").c_str(), "%u:%u", &major, &minor) != 2) return std::nullopt;
  return makedev(major, minor);
}

bool BlockTree::is_partition(const std::string& name) const { return exists(folder(name) + "/partition"); }

std::string BlockTree::whole_disk(const std::string& name) const {
  if (name.empty() || !is_partition(name)) return name;
  std::error_code ec;
  const auto real = std::filesystem::canonical(folder(name), ec);
  return ec ? name : last_part(real.parent_path());
}

std::vector<std::string> BlockTree::partitions(const std::string& name) const {
  std::vector<std::string> found;
  for (const auto& entry : proc::list_names(folder(name))) {
    if (exists(folder(name) + "/" + entry + "/partition")) found.push_back(entry);
  }
  return found;
}

std::vector<std::string> BlockTree::holders(const std::string& name) const {
  return proc::list_names(folder(name) + "/holders");
}
std::vector<std::string> BlockTree::slaves(const std::string& name) const {
  return proc::list_names(folder(name) + "/slaves");
}

std::vector<std::string> BlockTree::btrfs_members(const std::string& name) const {
  const std::string all = prefix_ + "/sys/fs/btrfs/";
  for (const auto& uuid : proc::list_names(all)) {
    auto members = proc::list_names(all + uuid + "/devices");
    if (std::find(members.begin(), members.end(), name) != members.end()) return members;
  }
  return {};
}

std::vector<std::string> BlockTree::disks_of_files(dev_t device) const {
  const std::string name = name_of(device);
  std::vector<std::string> disks;
  const auto add = [&](const std::string& disk) {
    if (!disk.empty() && std::find(disks.begin(), disks.end(), disk) == disks.end()) disks.push_back(disk);
  };
  add(whole_disk(name));
  for (const auto& member : btrfs_members(name)) add(whole_disk(member));
  return disks;
}

std::string BlockTree::attribute(const std::string& name, const std::string& file) const {
  return proc::read_line(folder(name) + "/" + file);
}

std::uint64_t BlockTree::size_bytes(const std::string& name) const {
  constexpr std::uint64_t kSectorBytes = 512;  // sysfs uses this unit regardless of the device's block size
  const std::string text = attribute(name, "size");
  std::uint64_t sectors = 0;
  std::from_chars(text.data(), text.data() + text.size(), sectors);
  return sectors * kSectorBytes;
}

std::string BlockTree::model(const std::string& name) const {
  const std::string disk = whole_disk(name);
  for (const auto& place : kModelPlaces) {
    if (auto text = attribute(disk, place.file); !text.empty()) return place.before + text;
  }
  return {};
}

std::string BlockTree::serial(const std::string& name) const {
  const std::string disk = whole_disk(name);
  for (const auto* file : {"serial", "device/serial"}) {
    if (auto text = attribute(disk, file); !text.empty()) return text;
  }
  return vpd_serial(proc::read_text(folder(disk) + "/device/vpd_pg80", 256));
}

}  // namespace fathom::host::disk
