// Examines the page cache from outside the workers.
#include "run/process/cache_look.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/system/direct_io.h"
#include "base/system/fd.h"
#include "base/system/page_cache.h"
#include "base/text/unit_text.h"
#include "io/engines.h"
#include "job/fields/files.h"

namespace fathom::run::process {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

base::system::UniqueFd opened(const std::string& path) {
  return base::system::UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

bool asks_for_direct(const files::Plan& plan) {
  return plan.job.direct && !plan.failed && !io::traits_of(plan.job.ioengine).maps_files;
}

void drop(const files::PlannedTarget& t) {
  if (const auto fd = opened(t.path))
    ::posix_fadvise(fd.get(), static_cast<off_t>(t.start), static_cast<off_t>(t.length), POSIX_FADV_DONTNEED);
}

}  // namespace

std::optional<CacheLook::Cached> CacheLook::cached(const files::PlannedTarget& t) {
  const auto fd = opened(t.path);
  struct stat st;
  if (!fd || ::fstat(fd.get(), &st) != 0) return std::nullopt;
  const auto content = base::system::cachestat_content(fd.get(), t.start, t.length);
  return content ? std::optional(Cached{content->cached_bytes, st.st_dev, st.st_ino}) : std::nullopt;
}

void CacheLook::before(const std::vector<files::Plan>& plans) {
  std::set<std::string> buffered;
  for (const auto& plan : plans)
    for (const auto& t : plan.targets)
      if (!plan.job.direct) buffered.insert(t.path);
  for (const auto& plan : plans) {
    if (!asks_for_direct(plan)) continue;
    for (const auto& t : plan.targets) {
      if (t.kind != io::TargetKind::regular) continue;
      const auto fd = opened(t.path);
      if (auto why = base::system::why_not_direct(fd.get()); !why.empty()) not_direct_[t.path] = std::move(why);
      if (buffered.contains(t.path)) continue;
      if (plan.job.of<job::fields::FileOptions>().pre_read) continue;
      if (plan.job.invalidate) drop(t);
      const auto now = cached(t);
      if (now) cached_[files::used_part(t)] = *now;
      if (!now || now->bytes > 0 || !plan.job.mode.writes) continue;
      if (auto why = base::system::why_writes_are_copied(fd.get()); !why.empty())
        copied_.push_back({&t, std::move(why)});
    }
  }
}

void CacheLook::look() {
  for (auto& file : copied_) {
    const auto now = cached(*file.target);
    ++file.looks;
    file.with_pages += now && now->bytes > 0;
  }
}

// A write that is copied has pages for most of its time. A process that reads the file leaves its pages, and then they
// are there at the end.
void CacheLook::say_copied(const files::Plan& plan, result::Job& job) const {
  const auto written = job.dirs[io::index(io::Dir::write)].moved_bytes;
  if (written == 0) return;
  for (const auto& t : plan.targets) {
    const auto file = std::find_if(copied_.begin(), copied_.end(), [&](const auto& f) { return f.target == &t; });
    if (file == copied_.end() || file->with_pages * 2 < file->looks || file->with_pages == 0) continue;
    job.delivery.direct_ignored = fmt::format("`{}` is on {}", t.path, file->why);
    job.delivery.copied_bytes = written;
    return;
  }
}

void CacheLook::after(const files::Plan& plan, result::Job& job) const {
  if (!asks_for_direct(plan)) return;
  say_copied(plan, job);
  std::uint64_t moved = 0;
  for (const auto& dir : job.dirs) moved += dir.moved_bytes;
  for (const auto& t : plan.targets) {
    if (const auto known = not_direct_.find(t.path); known != not_direct_.end()) {
      job.delivery.direct_ignored = fmt::format("`{}` is on {}", t.path, known->second);
      return;
    }
    const auto known = cached_.find(files::used_part(t));
    const auto now = known == cached_.end() ? std::nullopt : cached(t);
    if (!now || !now->same_file(known->second)) continue;
    const std::uint64_t grown = now->bytes - std::min(now->bytes, known->second.bytes);
    if (grown < kMiB || grown < std::min(moved / plan.targets.size(), t.length) / 2) continue;
    job.delivery.direct_ignored =
        fmt::format("{} of `{}` came into the page cache while the job ran", base::text::mib_text(grown), t.path);
    job.delivery.cached_bytes = grown;
    return;
  }
}

}  // namespace fathom::run::process
