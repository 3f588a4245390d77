// Reads the descriptors of every process and keeps the block devices. A process with several descriptors for one device
// counts once.
#include "host/guards/device_openers.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "host/proc/descriptors.h"
#include "host/proc/text_file.h"

namespace fathom::host::guards {
namespace {

bool is_number(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void add(std::vector<Opener>& all, std::size_t first_of_process, Opener&& one) {
  for (std::size_t i = first_of_process; i < all.size(); ++i) {
    if (all[i].device != one.device) continue;
    all[i].writes |= one.writes;
    return;
  }
  all.push_back(std::move(one));
}

bool look_at_process(const std::string& folder, pid_t pid, std::vector<Opener>& all) {
  const std::size_t first = all.size();
  return proc::each_descriptor(folder, std::numeric_limits<std::size_t>::max(), [&](const proc::Descriptor& one) {
    if (!one.is_device()) return;
    if (const auto flags = one.flags())
      add(all, first, {one.device, pid, proc::read_line(folder + "/comm"), (*flags & O_ACCMODE) != O_RDONLY});
  });
}

}  // namespace

Openers openers_among(std::span<const pid_t> pids, const std::string& prefix) {
  Openers openers;
  for (const pid_t pid : pids)
    if (!look_at_process(prefix + "/proc/" + std::to_string(pid), pid, openers.found)) ++openers.unreadable;
  openers.looked = !pids.empty();
  return openers;
}

Openers find_openers(pid_t own, const std::string& prefix) {
  std::vector<pid_t> pids;
  bool own_is_shown = false;
  for (const auto& name : proc::list_names(prefix + "/proc")) {
    if (!is_number(name)) continue;
    const auto pid = static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10));
    own_is_shown |= pid == own;
    if (pid != own) pids.push_back(pid);
  }
  Openers openers = openers_among(pids, prefix);
  openers.looked |= own_is_shown;
  return openers;
}

}  // namespace fathom::host::guards
