// Creates the files of a job before it starts.
#include "run/files/layout.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "base/system/fd.h"
#include "io/engines.h"
#include "job/fields/files.h"
#include "run/files/layout_fill.h"
#include "run/files/open_files.h"

namespace fathom::run::files {
namespace {

bool needs_content(const job::Job& job) {
  return job.mode.reads || job.overwrite || io::traits_of(job.ioengine).maps_files;
}

// Free bytes of the file system. Call it before the file is allocated.
std::uint64_t free_bytes(int fd) {
  struct statvfs fs;
  return ::fstatvfs(fd, &fs) == 0 ? static_cast<std::uint64_t>(fs.f_bavail) * fs.f_frsize : 0;
}

base::Error may_not_create(const job::Job& job, const PlannedTarget& t) {
  base::Error e = base::system_error("`" + t.path + "`", t.exists ? EFBIG : ENOENT);
  e.kind = base::ErrorKind::usage;
  const std::string rule = job.verify_only ? "verify_only" : job.readonly ? "--readonly" : "allow_file_create=0";
  e.cause = (t.exists ? "the file is shorter than the job needs and " : "the file is missing and ") + rule +
            " forbids writing it";
  e.help = "create the file first, or omit " + rule;
  return e;
}

// As in fio, a failure for lack of fallocate or of space is ignored here. The later writes then report it.
base::Expected<void> allocate(int fd, const PlannedTarget& t, job::Fallocate how) {
  const auto size = static_cast<off_t>(t.size_needed);
  int err = 0;
  switch (how) {
    case job::Fallocate::none:
      return {};
    case job::Fallocate::native:
      err = ::fallocate(fd, 0, 0, size) == 0 ? 0 : errno;
      break;
    case job::Fallocate::keep:
      err = ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size) == 0 ? 0 : errno;
      break;
    case job::Fallocate::posix:
      err = ::posix_fallocate(fd, 0, size);
      break;
    case job::Fallocate::truncate:
      err = ::ftruncate(fd, size) == 0 ? 0 : errno;
      break;
  }
  if (err != 0 && err != EOPNOTSUPP && err != ENOSYS && err != ENOSPC)
    return base::system_error("allocate `" + t.path + "`", err);
  return {};
}

// Updates the target after fill_device: the file has the size for which there was space.
void now_holds(PlannedTarget& t) {
  const auto now = look_at(t.path);
  if (!now) return;
  t.size_now = t.size_needed = now->size_now;
  t.length = t.size_now - std::min(t.start, t.size_now);
}

base::Expected<bool> lay_out_one(const job::Job& job, PlannedTarget& t, const DescriptorLook& look,
                                 LayoutProgress& progress, const LayoutListener& listener,
                                 const std::atomic<std::uint32_t>& stop) {
  if (t.engine_file) {
    progress.path = t.path;
    if (listener) listener(progress);
    const FillPlan fill{workload::bytes::plan_contents(job, t.size_needed), false,
                        job.of<job::fields::FileOptions>().create_fsync};
    return fill_engine_file(job, t, fill, progress, listener, stop);
  }
  const auto parent = std::filesystem::path(t.path).parent_path();
  std::error_code ec;
  if (!parent.empty()) std::filesystem::create_directories(parent, ec);
  if (ec) {
    auto e = base::system_error("make directory `" + parent.string() + "`", ec.value());
    e.help = "create the directory, or name a directory that you may write to";
    return e;
  }
  base::system::UniqueFd fd(::open(t.path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!fd) return cannot_open(job, t.path, 1, errno);
  if (look)
    if (auto ok = look(t.path, fd.get()); !ok) return ok.error();
  if (needs_content(job)) {
    // Allocates space only: the file grows while it is filled.
    const std::uint64_t free = free_bytes(fd.get());
    const bool of_known_size = !fills_device(job, t);
    if (of_known_size && job.fallocate != job::Fallocate::none && job.fallocate != job::Fallocate::truncate)
      if (auto ok = allocate(fd.get(), t, job::Fallocate::keep); !ok) return ok.error();
    progress.path = t.path;
    if (listener) listener(progress);
    const FillPlan fill{workload::bytes::plan_contents(job, t.size_needed), !of_known_size,
                        job.of<job::fields::FileOptions>().create_fsync};
    return fill_file(fd.get(), t, free, fill, progress, listener, stop);
  }
  if (fills_device(job, t)) return true;
  if (auto ok = allocate(fd.get(), t, job.fallocate); !ok) return ok.error();
  return true;
}

}  // namespace

base::Expected<LaidOut> lay_out(Plan& plan, const LayoutListener& listener, const std::atomic<std::uint32_t>& stop,
                                const DescriptorLook& look) {
  LayoutProgress progress{plan.job.name, {}, 0, 0, 0};
  LaidOut made;
  std::vector<PlannedTarget*> todo;
  for (auto& t : plan.targets) {
    if ((t.kind != io::TargetKind::regular && !t.engine_file) || t.read_again) continue;
    auto now = look_again(plan.job, t);
    if (!now) return now.error();
    t.exists = now->exists;
    t.size_now = now->size_now;
    follow_end(plan.job, t);
    if (!t.engine_file && plan.job.of<job::fields::FileOptions>().create_on_open && !t.exists) continue;
    if (t.exists && t.size_now >= t.size_needed) continue;
    if (!plan.job.allow_file_create || plan.job.readonly || plan.job.verify_only) return may_not_create(plan.job, t);
    if (t.engine_file && !needs_content(plan.job)) continue;  // the engine creates it when the job starts
    if (needs_content(plan.job)) {
      ++progress.files;
      progress.total_bytes += t.size_needed - t.size_now;
    }
    ++made.files;
    made.bytes += t.size_needed;
    todo.push_back(&t);
  }
  for (auto* t : todo) {
    auto whole = lay_out_one(plan.job, *t, look, progress, listener, stop);
    if (!whole) return whole.error();
    if (!*whole || stop.load() != 0) {
      made.unfinished = t->path;
      return made;
    }
    t->exists = true;
    t->size_now = t->size_needed;
    if (fills_device(plan.job, *t) && needs_content(plan.job)) now_holds(*t);
  }
  return made;
}

}  // namespace fathom::run::files
