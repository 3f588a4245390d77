// Opens the targets of a job.
#include "run/files/open_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "io/engines.h"
#include "job/fields/files.h"
#include "run/records/limits.h"
#include "workload/places/file_choice.h"

namespace fathom::run::files {
namespace {

int open_flags(const job::Job& job, io::TargetKind kind) {
  const auto& engine = io::traits_of(job.ioengine);
  int flags = O_CLOEXEC;
  if (engine.reads_change)
    flags |= O_RDWR;
  else if (job.changes_targets())
    flags |= (job.mode.reads || job.verify || engine.maps_files || kind == io::TargetKind::regular) ? O_RDWR : O_WRONLY;
  else
    flags |= O_RDONLY;
  if (job.changes_targets() && kind == io::TargetKind::regular) flags |= O_CREAT;
  if (job.direct && !engine.passes_commands) flags |= O_DIRECT;
  if (job.sync_mode == job::SyncMode::sync) flags |= O_SYNC;
  if (job.sync_mode == job::SyncMode::dsync) flags |= O_DSYNC;
  return flags;
}

int open_path(const job::Job& job, const PlannedTarget& t) {
  if (is_standard(t.path)) return ::fcntl(job.mode.writes ? STDOUT_FILENO : STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  return ::open(t.path.c_str(), open_flags(job, t.kind), 0600);
}

void drop_cache(const job::Job& job, int fd, const PlannedTarget& t) {
  if (!job.invalidate || job.of<job::fields::FileOptions>().pre_read) return;
  if (t.kind == io::TargetKind::block) ::ioctl(fd, BLKFLSBUF, 0);
  if (t.kind == io::TargetKind::regular)
    ::posix_fadvise(fd, static_cast<off_t>(t.start), static_cast<off_t>(t.length), POSIX_FADV_DONTNEED);
}

int advice_of(const job::Job& job, job::fields::Advice advice) {
  switch (advice) {
    case job::fields::Advice::by_mode:
      return job.mode.random ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL;
    case job::fields::Advice::random:
      return POSIX_FADV_RANDOM;
    case job::fields::Advice::sequential:
      return POSIX_FADV_SEQUENTIAL;
    case job::fields::Advice::noreuse:
      return POSIX_FADV_NOREUSE;
    case job::fields::Advice::none:
      break;
  }
  return -1;
}

void advise(const job::Job& job, int fd, const PlannedTarget& t) {
  const int advice = advice_of(job, job.of<job::fields::FileOptions>().advice);
  if (advice >= 0) ::posix_fadvise(fd, static_cast<off_t>(t.start), static_cast<off_t>(t.length), advice);
}

// Direct I/O uses the hint of the open file, if the kernel supports it (removed in 5.18). Otherwise the inode's hint
// applies.
base::Expected<void> hint_life(const job::Job& job, int fd, const std::string& path) {
  std::uint64_t hint = job.of<job::fields::FileOptions>().write_hint;
  if (hint == 0 || !job.changes_targets()) return {};
  if (job.direct && ::fcntl(fd, F_SET_FILE_RW_HINT, &hint) == 0) return {};
  if (::fcntl(fd, F_SET_RW_HINT, &hint) == 0) return {};
  auto e = base::system_error("write_hint of `" + path + "`", errno);
  e.place = job.place;
  e.help = "omit write_hint=";
  return e;
}

}  // namespace

base::Error cannot_open(const job::Job& job, const std::string& path, std::size_t files, int err) {
  auto e = base::system_error("open `" + path + "`", err);
  e.place = job.filename_place ? job.filename_place : job.place;
  if (err == EINVAL && job.direct) {
    e.cause = "the file system does not support direct=1";
    e.help = "use direct=0, or a file system with O_DIRECT";
  }
  if (err == EACCES || err == EPERM)
    e.help = "run as a user with permission to " + std::string(job.changes_targets() ? "write" : "read") + " it";
  if (err == EROFS) e.help = "name a file on a file system that is not mounted read-only (directory=, filename=)";
  const bool counts = err == EMFILE || err == ENFILE;
  e = records::with_limits(std::move(e));
  if (counts) e.cause += fmt::format("; the job has {} files", files);
  if (counts) e.help += ", or limit the open files: openfiles=128";
  return e;
}

base::Expected<void> look_before_writing(const Plan& plan, const OpenTargets& open, const DescriptorLook& look) {
  if (!look || !plan.job.changes_targets()) return {};
  for (std::size_t i = 0; i < open.fds.size(); ++i)
    if (auto ok = look(open.targets[i].path, open.targets[i].fd); !ok) return ok;
  return {};
}

base::Expected<base::system::UniqueFd> open_target(const job::Job& job, const PlannedTarget& t, std::size_t files) {
  base::system::UniqueFd fd(open_path(job, t));
  if (!fd) return cannot_open(job, t.path, files, errno);
  drop_cache(job, fd.get(), t);
  advise(job, fd.get(), t);
  if (auto ok = hint_life(job, fd.get(), t.path); !ok) return ok.error();
  return fd;
}

base::Expected<OpenTargets> open_targets(const Plan& plan) {
  OpenTargets open;
  const auto places = workload::places::open_places(plan.job, plan.targets.size());
  for (const auto& t : plan.targets) {
    // openfiles=: the file is opened when its turn comes, under the descriptor number of its place
    if (open.fds.size() == places) {
      const int fd = open.fds[open.targets.size() % places].get();
      open.targets.push_back({t.path, t.kind, fd, std::max(t.size_now, t.size_needed), t.start, t.length});
      continue;
    }
    io::Target target{t.path, t.kind, -1, std::max(t.size_now, t.size_needed), t.start, t.length};
    if (t.kind != io::TargetKind::none && t.kind != io::TargetKind::device) {
      auto fd = open_target(plan.job, t, plan.targets.size());
      if (!fd) return fd.error();
      target.fd = fd->get();
      open.fds.push_back(std::move(*fd));
    }
    open.targets.push_back(std::move(target));
  }
  return open;
}

base::Expected<void> probe_targets(const Plan& plan, const DescriptorLook& look) {
  const bool made_later = plan.job.of<job::fields::FileOptions>().create_on_open;
  for (const auto& t : plan.targets) {
    if (t.kind == io::TargetKind::none || t.kind == io::TargetKind::device) continue;
    if (t.read_again || (made_later && !t.exists)) continue;
    base::system::UniqueFd fd(open_path(plan.job, t));
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

int sync_file_systems(const OpenTargets& open) {
  int err = 0;
  std::vector<dev_t> done;
  for (const auto& t : open.targets) {
    struct stat st;
    if (t.fd < 0 || ::fstat(t.fd, &st) != 0 || std::find(done.begin(), done.end(), st.st_dev) != done.end()) continue;
    done.push_back(st.st_dev);
    if (::syncfs(t.fd) != 0 && err == 0) err = errno;
  }
  return err;
}

base::Expected<void> begin_again(const Plan& plan, const OpenTargets& open) {
  if (plan.job.verify_only || plan.job.readonly) return {};
  for (std::size_t i = 0; i < open.targets.size(); ++i) {
    const auto& t = plan.targets[i];
    if (t.kind != io::TargetKind::regular || open.targets[i].fd < 0) continue;
    ::unlink(t.path.c_str());
    auto fd = open_target(plan.job, t, plan.targets.size());
    if (!fd) return fd.error();
    if (::dup3(fd->get(), open.targets[i].fd, O_CLOEXEC) < 0) return base::system_error("open `" + t.path + "`", errno);
  }
  return {};
}

void unlink_targets(const Plan& plan) {
  if (plan.job.verify_only) return;
  for (const auto& t : plan.targets)
    if (t.kind == io::TargetKind::regular || (t.kind == io::TargetKind::none && !t.path.empty()))
      ::unlink(t.path.c_str());
}

}  // namespace fathom::run::files
