// Each group, and its ancestors up to the mount.
#include "host/own_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "host/proc/text_file.h"

namespace fathom::host {
namespace {

struct Mount {
  std::string folder;
  bool second = false;
};

bool names(const std::string& list, std::string_view controller) {
  return ("," + list + ",").find(fmt::format(",{},", controller)) != std::string::npos;
}

std::vector<Mount> mounts_of(const std::string& prefix, std::string_view controller) {
  std::vector<Mount> mounts;
  std::istringstream lines(proc::read_text(prefix + "/proc/mounts"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string source, folder, type, flags;
    fields >> source >> folder >> type >> flags;
    const bool first = type == "cgroup" && names(flags, controller);
    if (first || type == "cgroup2") mounts.push_back({folder, !first});
  }
  return mounts;
}

// The path of this process in the tree of that version; empty: it is in no group there.
std::string own_path(const std::string& prefix, std::string_view controller, bool second) {
  std::istringstream lines(proc::read_text(prefix + "/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':'), next = line.find(':', colon + 1);
    if (next == std::string::npos) continue;
    const std::string controllers = line.substr(colon + 1, next - colon - 1);
    if (second ? controllers.empty() : names(controllers, controller)) return line.substr(next + 1);
  }
  return {};
}

void add_upwards(const std::string& root, std::string path, bool second, std::vector<OwnGroup>& out) {
  const auto add = [&](const OwnGroup& group) {
    if (std::none_of(out.begin(), out.end(), [&](const auto& known) { return known.folder == group.folder; }))
      out.push_back(group);
  };
  for (; path.size() > 1; path.erase(path.rfind('/'))) add({root + path, path, second});
  add({root, "/", second});
}

}  // namespace

std::vector<OwnGroup> own_groups(std::string_view controller, const std::vector<std::string>& further,
                                 const std::string& prefix) {
  std::vector<OwnGroup> out;
  for (const auto& mount : mounts_of(prefix, controller)) {
    const std::string root = prefix + mount.folder;
    if (const auto own = own_path(prefix, controller, mount.second); own.starts_with("/"))
      add_upwards(root, own, mount.second, out);
    for (const auto& name : further) add_upwards(root, "/" + name, mount.second, out);
  }
  return out;
}

}  // namespace fathom::host
