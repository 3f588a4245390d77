// Searches the places where tracefs is mounted, or mounts it.
#include "paging/trace_marker.h"

#include <fcntl.h>
#include <sys/mount.h>

#include <cerrno>

namespace fathom::paging {

base::Expected<base::system::UniqueFd> open_trace_marker() {
  constexpr const char* kPlaces[] = {"/sys/kernel/tracing/trace_marker", "/sys/kernel/debug/tracing/trace_marker"};
  for (const char* place : kPlaces) {
    base::system::UniqueFd fd(::open(place, O_WRONLY | O_CLOEXEC));
    if (fd) return fd;
    if (errno != ENOENT) return base::system_error(std::string("open ") + place, errno);
  }
  const base::system::UniqueFd fs(::fsopen("tracefs", FSOPEN_CLOEXEC));
  if (fs && ::fsconfig(fs.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0) {
    const base::system::UniqueFd mount(::fsmount(fs.get(), FSMOUNT_CLOEXEC, 0));
    base::system::UniqueFd fd(mount ? ::openat(mount.get(), "trace_marker", O_WRONLY | O_CLOEXEC) : -1);
    if (fd) return fd;
  }
  return base::system_error("tracefs is not mounted, and mounting it", errno);
}

}  // namespace fathom::paging
