// The C library's headers lack the mount calls, so they are made by number: fsopen, fsconfig, fsmount.
#include "pmu/events/tracefs.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/system/fd.h"

namespace fathom::pmu::events {
namespace {

constexpr long kFsopen = 430, kFsconfig = 431, kFsmount = 432;
constexpr unsigned kCloseOnExec = 1, kCreate = 6;

struct OwnMount {
  base::system::UniqueFd fd;
  int err = 0;
};

OwnMount mount_unattached() {
  const base::system::UniqueFd context(static_cast<int>(::syscall(kFsopen, "tracefs", kCloseOnExec)));
  if (context.get() < 0) return {base::system::UniqueFd(), errno};
  if (::syscall(kFsconfig, context.get(), kCreate, nullptr, nullptr, 0) < 0) return {base::system::UniqueFd(), errno};
  base::system::UniqueFd mounted(static_cast<int>(::syscall(kFsmount, context.get(), kCloseOnExec, 0)));
  if (mounted.get() < 0) return {base::system::UniqueFd(), errno};
  return {std::move(mounted), 0};
}

base::Error cannot_see(int err) {
  auto error = base::system_error("the kernel's tracepoints cannot be read", err);
  error.kind = base::ErrorKind::privilege;
  if (err == EACCES) {
    error.cause = "tracefs belongs to root";
    error.help = "run as root; events other than tracepoints still work";
    return error;
  }
  error.cause = err == ENODEV ? "this kernel was built without tracefs"
                              : "tracefs is not mounted on /sys/kernel/tracing, or this user may not read it";
  error.help = "as root: mount -t tracefs nodev /sys/kernel/tracing (counters without tracepoints work without it)";
  return error;
}

}  // namespace

base::Expected<std::string> tracefs_root(const std::string& prefix) {
  constexpr std::array kMounts = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
  bool denied = false;
  for (const char* mount : kMounts) {
    const std::string root = prefix + mount;
    if (::access((root + "/events").c_str(), R_OK | X_OK) == 0) return root;
    denied |= errno == EACCES;
  }
  if (!prefix.empty()) return cannot_see(denied ? EACCES : ENOENT);
  static const OwnMount own = mount_unattached();
  if (own.fd.get() < 0) return cannot_see(denied ? EACCES : own.err);
  return fmt::format("/proc/self/fd/{}", own.fd.get());
}

}  // namespace fathom::pmu::events
