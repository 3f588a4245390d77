// mountinfo has a variable number of optional fields, which end at a single "-". Fields before them are counted from
// the start of the line, fields after them from the "-".
#include "host/mounts/mount_table.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "host/proc/proc_text.h"

namespace fathom::host::mounts {
namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return parts;
}

std::string join_options(std::string_view mount_options, std::string_view super_options) {
  std::vector<std::string_view> all = split(mount_options, ',');
  for (const auto option : split(super_options, ',')) {
    if (std::find(all.begin(), all.end(), option) == all.end()) all.push_back(option);
  }
  std::string joined;
  for (const auto option : all) joined.append(joined.empty() ? "" : ",").append(option);
  return joined;
}

bool leads_to(std::string_view mount_point, std::string_view path) {
  if (mount_point == "/") return path.starts_with('/');
  return path.starts_with(mount_point) && (path.size() == mount_point.size() || path[mount_point.size()] == '/');
}

}  // namespace

bool keeps_in_memory(std::string_view file_system) {
  constexpr std::string_view kMemory[] = {"tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "proc", "sysfs"};
  return std::find(std::begin(kMemory), std::end(kMemory), file_system) != std::end(kMemory);
}

std::string unescape_octal(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 3 < text.size() && text[i + 1] <= '3' && is_octal(text[i + 1]) &&
                        is_octal(text[i + 2]) && is_octal(text[i + 3]);
    if (!escape) {
      out += text[i];
      continue;
    }
    out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return out;
}

std::vector<Mount> parse_mountinfo(std::string_view text) {
  constexpr std::size_t kDevice = 2, kRoot = 3, kMountPoint = 4, kOptions = 5;
  std::vector<Mount> mounts;
  for (const auto line : proc::split_lines(text)) {
    const auto fields = proc::split_fields(line);
    if (fields.size() <= kOptions) continue;
    const auto dash = std::find(fields.begin() + kOptions + 1, fields.end(), "-");
    if (fields.end() - dash < 3) continue;
    unsigned major = 0, minor = 0;
    if (std::sscanf(std::string(fields[kDevice]).c_str(), "%u:%u", &major, &minor) != 2) continue;
    const auto super_options = fields.end() - dash > 3 ? dash[3] : std::string_view{};
    mounts.push_back({makedev(major, minor), unescape_octal(fields[kMountPoint]),
                      join_options(fields[kOptions], super_options), unescape_octal(dash[1]), unescape_octal(dash[2]),
                      unescape_octal(fields[kRoot])});
  }
  return mounts;
}

std::vector<std::string> parse_swaps(std::string_view text) {
  std::vector<std::string> paths;
  for (const auto line : proc::split_lines(text)) {
    const auto fields = proc::split_fields(line);
    if (fields.size() > 1 && fields[0].starts_with('/')) paths.push_back(unescape_octal(fields[0]));
  }
  return paths;
}

const Mount* mount_holding(std::span<const Mount> mounts, std::string_view real_path) {
  const Mount* best = nullptr;
  for (const Mount& mount : mounts) {
    if (!leads_to(mount.mount_point, real_path)) continue;
    if (!best || mount.mount_point.size() >= best->mount_point.size()) best = &mount;
  }
  return best;
}

std::vector<std::string> source_devices(const Mount& mount) {
  std::vector<std::string> devices;
  if (!mount.source.starts_with("/dev/")) return devices;
  for (const auto part : split(mount.source, ':')) {
    const bool continues =
        !part.starts_with("/dev/") && !devices.empty();  // a ':' inside a name, as in /dev/disk/by-path
    if (continues)
      devices.back().append(":").append(part);
    else
      devices.emplace_back(part);
  }
  return devices;
}

}  // namespace fathom::host::mounts
