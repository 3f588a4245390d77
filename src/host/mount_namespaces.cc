// The first process of a namespace speaks for it: all of them see the same mounts.
#include "host/mount_namespaces.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <set>

#include "host/text_file.h"

namespace fathom::host {

std::vector<ForeignMounts> mounts_of_other_namespaces(const std::string& prefix) {
  const auto space_of = [&](const std::string& process) {
    std::error_code ec;
    const auto link = std::filesystem::read_symlink(prefix + "/proc/" + process + "/ns/mnt", ec);
    return ec ? std::string() : link.string();  // "mnt:[4026531841]"
  };
  std::set<std::string> seen{"", space_of("self")};
  std::vector<ForeignMounts> all;
  for (const auto& name : list_names(prefix + "/proc")) {
    if (std::isdigit(static_cast<unsigned char>(name[0])) == 0 || !seen.insert(space_of(name)).second) continue;
    const std::string folder = prefix + "/proc/" + name;
    all.push_back({fmt::format("{} (pid {})", read_line(folder + "/comm"), name),
                   parse_mountinfo(read_text(folder + "/mountinfo"))});
  }
  return all;
}

}  // namespace fathom::host
