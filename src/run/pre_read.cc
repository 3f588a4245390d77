// In blocks as large as the job's largest read.
#include "run/pre_read.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fd.h"

namespace fathom::run {
namespace {

base::Expected<void> read_all(const PlannedTarget& t, std::vector<char>& block,
                              const std::atomic<std::uint32_t>& stop) {
  const base::UniqueFd fd(::open(t.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return base::system_error("pre_read: open `" + t.path + "`", errno);
  const std::uint64_t end = t.start + t.length;
  for (std::uint64_t at = t.start; at < end && stop.load() == 0;) {
    const auto n = std::min<std::uint64_t>(block.size(), end - at);
    const ssize_t moved = ::pread(fd.get(), block.data(), n, static_cast<off_t>(at));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return base::system_error("pre_read: read `" + t.path + "`", errno);
    if (moved == 0) break;
    at += static_cast<std::uint64_t>(moved);
  }
  return {};
}

}  // namespace

base::Expected<void> pre_read(const Plan& plan, const std::atomic<std::uint32_t>& stop) {
  std::vector<char> block(std::max<std::uint64_t>(1, plan.job.bs_max[io::index(io::Dir::read)]));
  for (const auto& t : plan.targets) {
    if (t.kind != io::TargetKind::regular && t.kind != io::TargetKind::block) continue;
    if (!t.exists && ::access(t.path.c_str(), F_OK) != 0) continue;
    if (auto ok = read_all(t, block, stop); !ok) return ok;
  }
  return {};
}

}  // namespace fathom::run
