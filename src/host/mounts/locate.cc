// For most file systems, st_dev is the device. If its major number is 0 (btrfs, overlay), the mount's source is used.
// The st_dev of a btrfs subvolume is in no line of mountinfo. So the mount is found by its path, never by the number.
#include "host/mounts/locate.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <string_view>

#include "host/mounts/overlay.h"
#include "host/proc/text_file.h"

namespace fathom::host::mounts {
namespace {

namespace fs = std::filesystem;

std::string nearest_existing(const std::string& path) {
  std::error_code ec;
  fs::path p = fs::absolute(path, ec);
  while (!ec && !fs::exists(p, ec) && p.has_relative_path()) p = p.parent_path();
  return p.string();
}

std::string real_path(const std::string& existing) {
  std::error_code ec;
  const auto real = fs::canonical(existing, ec);
  return ec ? std::string() : real.string();
}

bool is_device(mode_t mode) { return S_ISBLK(mode) || S_ISCHR(mode); }

struct KindRow {
  mode_t type;
  const char* name;
};
constexpr KindRow kKinds[] = {{S_IFREG, "regular"}, {S_IFBLK, "block"}, {S_IFCHR, "character"}, {S_IFDIR, "directory"}};

}  // namespace

Locator::Locator(const std::string& prefix)
    : mounts_(parse_mountinfo(proc::read_text(prefix + "/proc/self/mountinfo"))) {}

std::string Locator::kind(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return "regular";
  for (const auto& row : kKinds) {
    if ((st.st_mode & S_IFMT) == row.type) return row.name;
  }
  return "other";
}

dev_t Locator::device(const std::string& path, bool writes) const {
  const std::string existing = nearest_existing(path);
  struct stat st {};
  if (path.empty() || ::stat(existing.c_str(), &st) != 0 || S_ISCHR(st.st_mode)) return 0;
  if (S_ISBLK(st.st_mode)) return st.st_rdev;
  if (major(st.st_dev) != 0) return st.st_dev;
  const Mount* mount = mount_at(existing);
  if (!mount) return 0;
  if (mount->file_system == "overlay") return overlay_device(*mount, mounts_, real_path(existing), writes).value_or(0);
  for (const auto& source : source_devices(*mount)) {
    if (::stat(source.c_str(), &st) == 0 && S_ISBLK(st.st_mode)) return st.st_rdev;
  }
  return 0;
}

bool Locator::may_lie_elsewhere(const std::string& path) const {
  const Mount* on = mount(path);
  return on != nullptr && on->file_system == "overlay" && !overlay_on_one_device(*on);
}

const Mount* Locator::mount(const std::string& path) const {
  const std::string existing = nearest_existing(path);
  struct stat st {};
  if (path.empty() || ::stat(existing.c_str(), &st) != 0 || is_device(st.st_mode)) return nullptr;
  return mount_at(existing);
}

bool Locator::in_memory(const std::string& path, bool writes) const {
  const Mount* on = mount(path);
  if (on == nullptr) return false;
  if (on->file_system != "overlay") return keeps_in_memory(on->file_system);
  return overlay_device(*on, mounts_, real_path(nearest_existing(path)), writes) == dev_t{0};
}

std::string Locator::unfollowed(const std::string& path) const {
  const Mount* on = mount(path);
  if (on == nullptr || device(path) != 0) return "";
  if (in_memory(path)) return "";
  const bool overlay = on->file_system == "overlay";
  return on->mount_point + " is " + on->file_system +
         (overlay ? ", and none of its layers is visible here" : ", which names no disk");
}

const Mount* Locator::mount_at(const std::string& existing) const {
  const auto real = real_path(existing);
  return real.empty() ? nullptr : mount_holding(mounts_, real);
}

}  // namespace fathom::host::mounts
