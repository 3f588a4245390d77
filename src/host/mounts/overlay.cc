// Options have the format of mountinfo: overlayfs puts a backslash before ':' or ',' in the name of a directory.
#include "host/mounts/overlay.h"

#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <filesystem>

namespace fathom::host::mounts {
namespace {

// "a\:b:c" -> {"a:b", "c"}.
std::vector<std::string> unescaped_list(std::string_view text) {
  std::vector<std::string> parts{""};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size())
      parts.back() += text[++i];
    else if (text[i] == ':')
      parts.emplace_back();
    else
      parts.back() += text[i];
  }
  std::erase(parts, "");
  return parts;
}

// The value of "upperdir=" in options separated by ',', except for "\,".
std::string_view option(std::string_view options, std::string_view key) {
  std::size_t at = 0;
  while (at < options.size()) {
    std::size_t end = at;
    while (end < options.size() && (options[end] != ',' || (end > at && options[end - 1] == '\\'))) ++end;
    const auto one = options.substr(at, end - at);
    if (one.starts_with(key)) return one.substr(key.size());
    at = end + 1;
  }
  return {};
}

// Memory file systems also have an anonymous number: returns 0. For another overlay, or btrfs, the device below is
// unknown.
std::optional<dev_t> device_of(const struct stat& st, const std::string& path) {
  constexpr long kTmpfs = 0x01021994, kRamfs = 0x858458f6;
  if (major(st.st_dev) != 0) return st.st_dev;
  struct statfs fs {};
  if (::statfs(path.c_str(), &fs) == 0 && (fs.f_type == kTmpfs || fs.f_type == kRamfs)) return dev_t{0};
  return std::nullopt;
}

bool same_counters(const struct statfs& a, const struct statfs& b) {
  return a.f_blocks == b.f_blocks && a.f_bfree == b.f_bfree && a.f_files == b.f_files && a.f_ffree == b.f_ffree &&
         a.f_bsize == b.f_bsize;
}

// Concurrent writes change the counters between the two calls, so this tries several times.
bool is_below(const std::string& path, const std::string& mount_point) {
  constexpr int kTries = 8;
  for (int i = 0; i < kTries; ++i) {
    struct statfs over {
    }, under{};
    if (::statfs(path.c_str(), &over) != 0 || ::statfs(mount_point.c_str(), &under) != 0) return false;
    if (over.f_blocks != under.f_blocks || over.f_files != under.f_files || over.f_files == 0) return false;
    if (same_counters(over, under)) return true;
  }
  return false;
}

// The path inside the overlay's layers; real_path contains no links. The mount may show only a directory of the
// overlay.
std::string inside_of(const Mount& overlay, const std::string& real_path) {
  const std::string inside =
      overlay.mount_point == "/" ? real_path : real_path.substr(std::min(real_path.size(), overlay.mount_point.size()));
  return overlay.root == "/" ? inside : overlay.root + inside;
}

std::string layer_file(const Mount& overlay, const std::string& real_path, OverlayLayers which) {
  const auto layers =
      which == OverlayLayers::all ? overlay_layers(overlay) : unescaped_list(option(overlay.options, "upperdir="));
  for (const auto& layer : layers) {
    struct stat st {};
    if (::stat((layer + inside_of(overlay, real_path)).c_str(), &st) == 0 && !S_ISDIR(st.st_mode))
      return layer + inside_of(overlay, real_path);
  }
  return {};
}

// nullopt: two file systems match.
std::optional<dev_t> by_counters(std::span<const Mount> mounts, const std::string& path) {
  std::optional<dev_t> found;
  for (const auto& mount : mounts) {
    if (major(mount.device) == 0 || found == mount.device || !is_below(path, mount.mount_point)) continue;
    if (found) return std::nullopt;
    found = mount.device;
  }
  return found;
}

}  // namespace

std::vector<std::string> overlay_layers(const Mount& overlay) {
  auto layers = unescaped_list(option(overlay.options, "upperdir="));
  const auto lower = unescaped_list(option(overlay.options, "lowerdir="));
  layers.insert(layers.end(), lower.begin(), lower.end());
  return layers;
}

std::vector<std::string> overlay_files(const std::string& path, std::span<const Mount> mounts, OverlayLayers which) {
  constexpr std::size_t kMostBelow = 4;
  std::vector<std::string> files;
  for (std::string at = path; files.size() < kMostBelow;) {
    std::error_code ec;
    const std::string real = std::filesystem::canonical(at, ec);
    const Mount* mount = ec ? nullptr : mount_holding(mounts, real);
    if (mount == nullptr || mount->file_system != "overlay") break;
    at = layer_file(*mount, real, which);
    if (at.empty()) break;
    files.push_back(at);
  }
  return files;
}

bool overlay_on_one_device(const Mount& overlay) {
  std::optional<dev_t> one;
  for (const auto& layer : overlay_layers(overlay)) {
    struct stat st {};
    if (::stat(layer.c_str(), &st) != 0 || (one && *one != st.st_dev)) return false;
    one = st.st_dev;
  }
  return one.has_value();
}

std::optional<dev_t> overlay_device(const Mount& overlay, std::span<const Mount> mounts, const std::string& real_path,
                                    bool writes) {
  const std::string below = inside_of(overlay, real_path);
  const bool copied_up = writes && !option(overlay.options, "upperdir=").empty();
  for (const auto& layer : copied_up ? std::vector<std::string>() : overlay_layers(overlay)) {
    struct stat st {};
    const std::string path = layer + below;
    if (::stat(path.c_str(), &st) != 0 || S_ISDIR(st.st_mode) != 0) continue;
    if (const auto device = device_of(st, path)) return device;
  }
  // A new file is created in the upper layer.
  const auto upper = unescaped_list(option(overlay.options, "upperdir="));
  struct stat st {};
  if (!upper.empty() && ::stat(upper.front().c_str(), &st) == 0)
    if (const auto device = device_of(st, upper.front())) return device;
  return by_counters(mounts, real_path);
}

}  // namespace fathom::host::mounts
