// Files are laid out side by side: those of one file system share its space.
#include "run/process/foresee.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/text/printable.h"
#include "base/text/unit_text.h"
#include "engine/engine.h"
#include "io/engine_targets.h"
#include "io/engines.h"
#include "run/files/targets.h"
#include "run/process/stages.h"

namespace fathom::run::process {
namespace {

struct Space {
  std::string at;  // a directory of it
  std::uint64_t free_bytes = 0, needed_bytes = 0;
  std::map<std::string, std::uint64_t> files;  // bytes that each has to grow by
  const job::Job* too_large = nullptr;         // the first with which they do not fit any more
};

// Its targets are files of the kernel's, which can be looked at without opening a device.
bool makes_files(const job::Job& job) {
  return io::traits_of(job.ioengine).needs_files && engine::targets_of(job.ioengine) == nullptr &&
         io::targets_are(job.ioengine) != io::TargetsAre::names;
}

// Where a file that is not there yet would be made.
std::string existing_directory(const std::string& path) {
  std::error_code unknown;
  auto at = std::filesystem::absolute(path, unknown).parent_path();
  while (at.has_relative_path() && !std::filesystem::is_directory(at, unknown)) at = at.parent_path();
  return at.string();
}

class Spaces {
 public:
  void add(const job::Job& job, const files::PlannedTarget& t) {
    if (t.kind != io::TargetKind::regular || files::fills_device(job, t)) return;
    if (t.read_again || t.size_needed <= t.size_now) return;
    Space* const space = of(t.path);
    if (space == nullptr) return;
    auto& grows = space->files[t.path];
    const std::uint64_t more = t.size_needed - t.size_now - std::min(grows, t.size_needed - t.size_now);
    grows += more;
    space->needed_bytes += more;
    if (space->needed_bytes > space->free_bytes && space->too_large == nullptr) space->too_large = &job;
  }
  std::vector<base::Error> errors() const {
    std::vector<base::Error> out;
    for (const auto& [device, space] : spaces_) {
      if (space.too_large == nullptr) continue;
      base::Error e;
      const auto& job = *space.too_large;
      e.what = fmt::format("the files of job `{}` would not fit here", job.name);
      e.cause = fmt::format("the jobs need {} bytes ({}) of the file system of `{}`, which has {} ({}) free",
                            space.needed_bytes, base::text::mib_text(space.needed_bytes),
                            base::text::printable(space.at), space.free_bytes, base::text::mib_text(space.free_bytes));
      e.help = "lower size= or nrfiles=, name another directory=, or run it on a machine that has the room";
      e.place = job.place;
      out.push_back(std::move(e));
    }
    return out;
  }

 private:
  Space* of(const std::string& path) {
    const auto at = existing_directory(path);
    struct stat st;
    struct statvfs fs;
    if (::stat(at.c_str(), &st) != 0 || ::statvfs(at.c_str(), &fs) != 0) return nullptr;
    auto [space, is_new] = spaces_.try_emplace(st.st_dev);
    if (is_new) space->second.at = at, space->second.free_bytes = std::uint64_t{fs.f_bavail} * fs.f_frsize;
    return &space->second;
  }
  std::map<dev_t, Space> spaces_;
};

}  // namespace

std::vector<base::Error> foresee(const job::JobSet& jobs) {
  EarlierJobs earlier;
  Spaces spaces;
  for (const auto& job : jobs.jobs) {
    earlier.next(job);
    if (!makes_files(job)) continue;
    const auto plan = files::plan_targets(job, [&](const std::string& path) { return earlier.of(path); });
    if (!plan) continue;
    earlier.add(*plan);
    for (const auto& target : plan->targets) spaces.add(job, target);
  }
  return spaces.errors();
}

}  // namespace fathom::run::process
