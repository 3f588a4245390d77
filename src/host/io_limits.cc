// A handful of small files for each group.
#include "host/io_limits.h"

#include <algorithm>
#include <sstream>

#include "host/own_groups.h"
#include "host/proc/text_file.h"

namespace fathom::host {
namespace {

constexpr const char* kFirstVersion[] = {"blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device",
                                         "blkio.throttle.read_iops_device", "blkio.throttle.write_iops_device"};
constexpr const char* kSecondVersion[] = {"io.max", "io.latency"};

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

void add_of_group(const OwnGroup& group, const Names& disks, Names& out) {
  const auto add = [&](const char* name) {
    const auto found = limits_in(proc::read_text(group.folder + "/" + name), disks);
    const std::string text = std::string(name) + " of " + group.path + ": " + found;
    if (!found.empty() && std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
  };
  if (group.second)
    for (const char* name : kSecondVersion) add(name);
  else
    for (const char* name : kFirstVersion) add(name);
}

}  // namespace

Names io_limits(const Names& further, const Names& disks, const std::string& prefix) {
  Names out;
  for (const auto& group : own_groups("blkio", further, prefix)) add_of_group(group, disks, out);
  return out;
}

}  // namespace fathom::host
