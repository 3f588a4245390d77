// Opening what is open.
#include "run/lane_files.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>

namespace fathom::run {
namespace {

// What creates or cuts a file is done.
constexpr int kOnce = O_CREAT | O_EXCL | O_TRUNC;

}  // namespace

base::Expected<void> LaneFiles::open(std::span<const io::Target> targets) {
  targets_.assign(targets.begin(), targets.end());
  for (auto& target : targets_) {
    const int flags = target.fd < 0 ? -1 : ::fcntl(target.fd, F_GETFL);
    if (flags < 0) continue;
    base::UniqueFd fd(::open(fmt::format("/proc/self/fd/{}", target.fd).c_str(), (flags & ~kOnce) | O_CLOEXEC));
    if (!fd) return base::system_error("open `" + target.path + "` once more, for a lane", errno);
    target.fd = fd.get();
    fds_.push_back(std::move(fd));
  }
  return {};
}

}  // namespace fathom::run
