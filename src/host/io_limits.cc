// A handful of small files for each group.
#include "host/io_limits.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "host/proc/text_file.h"

namespace fathom::host {
namespace {

constexpr const char* kFirstVersion[] = {"blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device",
                                         "blkio.throttle.read_iops_device", "blkio.throttle.write_iops_device"};
constexpr const char* kSecondVersion[] = {"io.max", "io.latency"};

struct Mount {
  std::string folder;
  bool second = false;
};

std::vector<Mount> mounts_of(const std::string& prefix) {
  std::vector<Mount> mounts;
  std::istringstream lines(proc::read_text(prefix + "/proc/mounts"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string source, folder, type, flags;
    fields >> source >> folder >> type >> flags;
    const bool first = type == "cgroup" && ("," + flags + ",").find(",blkio,") != std::string::npos;
    if (first || type == "cgroup2") mounts.push_back({folder, !first});
  }
  return mounts;
}

// The path of the process in the tree of that version; empty: it is in none.
std::string own_group(const std::string& prefix, bool second) {
  std::istringstream lines(proc::read_text(prefix + "/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':'), next = line.find(':', colon + 1);
    if (next == std::string::npos) continue;
    const std::string controllers = "," + line.substr(colon + 1, next - colon - 1) + ",";
    if (second ? controllers == ",," : controllers.find(",blkio,") != std::string::npos) return line.substr(next + 1);
  }
  return {};
}

using Names = std::vector<std::string>;

// Lines of devices that have a limit: all of version 1; of version 2 those where not every word ends in "=max".
std::string limits_in(const std::string& text, const Names& disks) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string device, word;
    words >> device;
    if (!disks.empty() && std::find(disks.begin(), disks.end(), device) == disks.end()) continue;
    bool any = false;
    while (words >> word) any |= !word.ends_with("=max") && word != "0";
    if (any) out += (out.empty() ? "" : "; ") + line;
  }
  return out;
}

void add_of_group(const std::string& folder, const std::string& path, bool second, const Names& disks, Names& out) {
  const auto add = [&](const char* name) {
    const auto found = limits_in(proc::read_text(folder + "/" + name), disks);
    const std::string text = std::string(name) + " of " + path + ": " + found;
    if (!found.empty() && std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
  };
  if (second)
    for (const char* name : kSecondVersion) add(name);
  else
    for (const char* name : kFirstVersion) add(name);
}

// From a group up to the mount.
void add_upwards(const std::string& root, std::string path, bool second, const Names& disks, Names& out) {
  for (; path.size() > 1; path.erase(path.rfind('/'))) add_of_group(root + path, path, second, disks, out);
  add_of_group(root, "/", second, disks, out);
}

}  // namespace

Names io_limits(const Names& further, const Names& disks, const std::string& prefix) {
  Names out;
  for (const auto& mount : mounts_of(prefix)) {
    const std::string root = prefix + mount.folder;
    if (const auto own = own_group(prefix, mount.second); own.starts_with("/"))
      add_upwards(root, own, mount.second, disks, out);
    for (const auto& name : further) add_upwards(root, "/" + name, mount.second, disks, out);
  }
  return out;
}

}  // namespace fathom::host
