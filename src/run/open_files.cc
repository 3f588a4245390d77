// Opening targets.
#include "run/open_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "io/engines.h"
#include "run/limits.h"

namespace fathom::run {
namespace {

int open_flags(const job::Job& job, io::TargetKind kind) {
  const auto& engine = io::traits_of(job.ioengine);
  int flags = O_CLOEXEC;
  if (job.changes_targets())
    flags |= (job.mode.reads || job.verify || engine.maps_files || kind == io::TargetKind::regular) ? O_RDWR : O_WRONLY;
  else
    flags |= O_RDONLY;
  if (job.changes_targets() && kind == io::TargetKind::regular) flags |= O_CREAT;
  if (job.direct && !engine.passes_commands) flags |= O_DIRECT;
  if (job.sync_mode == job::SyncMode::sync) flags |= O_SYNC;
  if (job.sync_mode == job::SyncMode::dsync) flags |= O_DSYNC;
  return flags;
}

void drop_cache(const job::Job& job, int fd, const PlannedTarget& t) {
  if (!job.invalidate) return;
  if (t.kind == io::TargetKind::block) ::ioctl(fd, BLKFLSBUF, 0);
  if (t.kind == io::TargetKind::regular)
    ::posix_fadvise(fd, static_cast<off_t>(t.start), static_cast<off_t>(t.length), POSIX_FADV_DONTNEED);
}

base::Error cannot_open(const job::Job& job, const std::string& path, std::size_t files, int err) {
  auto e = base::system_error("open `" + path + "`", err);
  e.place = job.filename_place ? job.filename_place : job.place;
  if (err == EINVAL && job.direct) {
    e.cause = "the file system does not support direct=1";
    e.help = "use direct=0, or a file system with O_DIRECT";
  }
  if (err == EACCES || err == EPERM)
    e.help = "run as a user who may " + std::string(job.changes_targets() ? "write" : "read") + " it";
  const bool counts = err == EMFILE || err == ENFILE;
  e = with_limits(std::move(e));
  if (counts) e.cause += fmt::format("; the job has {} files", files);
  return e;
}

}  // namespace

base::Expected<void> look_before_writing(const Plan& plan, const OpenTargets& open, const DescriptorLook& look) {
  if (!look || !plan.job.changes_targets()) return {};
  for (const auto& t : open.targets)
    if (t.fd >= 0)
      if (auto ok = look(t.path, t.fd); !ok) return ok;
  return {};
}

base::Expected<OpenTargets> open_targets(const Plan& plan) {
  OpenTargets open;
  for (const auto& t : plan.targets) {
    io::Target target{t.path, t.kind, -1, std::max(t.size_now, t.size_needed), t.start, t.length};
    if (t.kind != io::TargetKind::none && t.kind != io::TargetKind::device) {
      base::UniqueFd fd(::open(t.path.c_str(), open_flags(plan.job, t.kind), 0600));
      if (!fd) return cannot_open(plan.job, t.path, plan.targets.size(), errno);
      drop_cache(plan.job, fd.get(), t);
      ::posix_fadvise(fd.get(), static_cast<off_t>(t.start), static_cast<off_t>(t.length),
                      plan.job.mode.random ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL);
      target.fd = fd.get();
      open.fds.push_back(std::move(fd));
    }
    open.targets.push_back(std::move(target));
  }
  return open;
}

base::Expected<void> probe_targets(const Plan& plan, const DescriptorLook& look) {
  for (const auto& t : plan.targets) {
    if (t.kind == io::TargetKind::none || t.kind == io::TargetKind::device) continue;
    base::UniqueFd fd(::open(t.path.c_str(), open_flags(plan.job, t.kind), 0600));
    if (!fd) return cannot_open(plan.job, t.path, plan.targets.size(), errno);
    if (look && plan.job.changes_targets())
      if (auto ok = look(t.path, fd.get()); !ok) return ok;
  }
  return {};
}

void drop_caches(const Plan& plan, const OpenTargets& open) {
  for (std::size_t i = 0; i < open.targets.size(); ++i)
    if (open.targets[i].fd >= 0) drop_cache(plan.job, open.targets[i].fd, plan.targets[i]);
}

int sync_targets(const OpenTargets& open) {
  int err = 0;
  for (const auto& t : open.targets)
    if (t.fd >= 0 && t.kind != io::TargetKind::character && ::fsync(t.fd) != 0 && err == 0) err = errno;
  return err;
}

void unlink_targets(const Plan& plan) {
  if (plan.job.verify_only) return;
  for (const auto& t : plan.targets)
    if (t.kind == io::TargetKind::regular) ::unlink(t.path.c_str());
}

}  // namespace fathom::run
