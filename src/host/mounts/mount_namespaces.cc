// Reads the mounts of one process per namespace: all processes in it see the same mounts.
#include "host/mounts/mount_namespaces.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <set>

#include "host/proc/text_file.h"

namespace fathom::host::mounts {

std::vector<ForeignMounts> mounts_of_other_namespaces(const std::string& prefix) {
  const auto space_of = [&](const std::string& process) {
    std::error_code ec;
    const auto link = std::filesystem::read_symlink(prefix + "/proc/" + process + "/ns/mnt", ec);
    return ec ? std::string() : link.string();  // "mnt:[4026531841]"
  };
  std::set<std::string> seen{"", space_of("self")};
  std::vector<ForeignMounts> all;
  for (const auto& name : proc::list_names(prefix + "/proc")) {
    if (std::isdigit(static_cast<unsigned char>(name[0])) == 0 || !seen.insert(space_of(name)).second) continue;
    const std::string folder = prefix + "/proc/" + name;
    all.push_back({fmt::format("{} (pid {})", proc::read_line(folder + "/comm"), name),
                   parse_mountinfo(proc::read_text(folder + "/mountinfo"))});
  }
  return all;
}

}  // namespace fathom::host::mounts
