// The path is used only if permissions deny access to the device (EACCES). In a container, the device's node is missing
// or forbidden (ENOENT, EPERM). The path is then the host's, and a file with that name here is another file.
#include "host/mounts/loop_backing.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <set>

#include "base/system/fd.h"
#include "host/mounts/overlay.h"
#include "host/proc/text_file.h"

namespace fathom::host::mounts {
namespace {

constexpr const char* kBlockFolder = "/sys/block/";

// The driver packs a device number like the kernel for user space (12 and 20 bits, the minor number split). This is the
// layout of dev_t in the C library for all numbers that fit in 32 bits.
std::optional<loop_info64> ask_driver(int fd) {
  struct loop_info64 info {};
  if (::ioctl(fd, LOOP_GET_STATUS64, &info) != 0) return std::nullopt;
  return info;
}

FileIdentity file_of(const loop_info64& info) {
  return {static_cast<dev_t>(info.lo_device), static_cast<ino_t>(info.lo_inode)};
}

FileIdentity follow_path(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return {};
  return {st.st_dev, st.st_ino};
}

// Finds the layers' files by the path, so the path must lead to the file.
void add_layers(const std::string& path, std::span<const Mount> mounts, OverlayLayers which,
                std::vector<FileIdentity>& files) {
  for (const auto& below : overlay_files(path, mounts, which))
    if (const auto file = follow_path(below); file.inode != 0) files.push_back(file);
}

void place_in_file(const std::string& folder, const std::optional<loop_info64>& info, LoopBacking& backing) {
  const auto number = [&](const char* name) {
    return std::strtoull(proc::read_line(folder + "/loop/" + name).c_str(), nullptr, 10);
  };
  backing.start = info ? info->lo_offset : number("offset");
  if (const auto bytes = info ? info->lo_sizelimit : number("sizelimit"); bytes > 0)
    backing.end = backing.start + bytes;
}

// Names such as "loop7", from both directories: /sys may be hidden, or a node in /dev may be missing.
std::set<std::string> loop_names() {
  std::set<std::string> names;
  for (const char* folder : {kBlockFolder, "/dev/"})
    for (auto& name : proc::list_names(folder))
      if (name.starts_with("loop") && name.find_first_not_of("0123456789", 4) == name.npos && name.size() > 4)
        names.insert(std::move(name));
  return names;
}

}  // namespace

bool LoopBacking::backed_by(const FileIdentity& file) const {
  return std::find(files.begin(), files.end(), file) != files.end();
}

bool LoopBacking::shares_bytes_with(const LoopBacking& other) const {
  if (start >= other.end || other.start >= end) return false;
  return std::any_of(files.begin(), files.end(), [&](const auto& file) { return other.backed_by(file); });
}

std::vector<LoopBacking> loop_backings(std::span<const Mount> mounts) {
  std::vector<LoopBacking> all;
  const std::string folder = kBlockFolder;
  for (const auto& name : loop_names()) {
    LoopBacking backing{name, proc::read_line(folder + name + "/loop/backing_file"), {}};
    const base::system::UniqueFd fd(::open(("/dev/" + name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    const bool by_path = !fd && errno == EACCES;
    const auto info = fd ? ask_driver(fd.get()) : std::nullopt;
    if (backing.path.empty() && !info) continue;
    if (backing.path.empty()) backing.path = reinterpret_cast<const char*>(info->lo_file_name);  // its first 63 bytes
    const FileIdentity file = info ? file_of(*info) : by_path ? follow_path(backing.path) : FileIdentity{};
    if (file.inode != 0) {
      backing.files.push_back(file);
      if (follow_path(backing.path) == file) add_layers(backing.path, mounts, OverlayLayers::all, backing.files);
    }
    place_in_file(folder + name, info, backing);
    all.push_back(std::move(backing));
  }
  return all;
}

std::string loops_unknown() {
  if (!proc::list_names(kBlockFolder).empty()) return {};
  return "the backing files of loop devices are unknown: /sys/block cannot be read";
}

std::vector<FileIdentity> written_files(const std::string& path, const FileIdentity& file,
                                        std::span<const Mount> mounts) {
  std::vector<FileIdentity> files{file};
  add_layers(path, mounts, OverlayLayers::upper, files);
  return files;
}

}  // namespace fathom::host::mounts
