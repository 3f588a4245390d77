// Predicts whether the files of all jobs fit. Files of one file system share its free space.
#include "run/process/foresee.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

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
#include "job/fields/offset_choice.h"
#include "run/files/targets.h"
#include "run/process/stages.h"
#include "workload/budget.h"

namespace fathom::run::process {
namespace {

struct Space {
  std::string at;  // a directory of this file system
  std::uint64_t free_bytes = 0, needed_bytes = 0;
  std::map<std::string, std::uint64_t> files;  // bytes by which each file grows
  const job::Job* too_large = nullptr;         // the first job that no longer fits
};

// True if the targets are files of the kernel. These can be examined without opening a device.
bool makes_files(const job::Job& job) {
  return io::traits_of(job.ioengine).needs_files && engine::targets_of(job.ioengine) == nullptr &&
         io::targets_are(job.ioengine) != io::TargetsAre::names;
}

// The closest existing directory above a file that does not exist yet.
std::string existing_directory(const std::string& path) {
  std::error_code unknown;
  auto at = std::filesystem::absolute(path, unknown).parent_path();
  while (at.has_relative_path() && !std::filesystem::is_directory(at, unknown)) at = at.parent_path();
  return at.string();
}

// The bytes by which the job's layout or writes certainly extend the file. A writer that ends by time or by a count may
// write less. A file that its job removes leaves its space to other jobs.
std::uint64_t bytes_for_sure(const job::Job& job, const files::PlannedTarget& t) {
  const auto& engine = io::traits_of(job.ioengine);
  if (t.kind != io::TargetKind::regular || files::fills_device(job, t) || t.read_again || job.unlink) return 0;
  if (t.size_needed <= t.size_now || !job.allow_file_create || job.readonly || job.verify_only) return 0;
  const std::uint64_t grows = t.size_needed - t.size_now;
  if (job.mode.reads || job.overwrite || engine.maps_files) return grows;
  const bool all_written = job.mode.writes && engine.keeps_data && !job.create_only && !job.time_based &&
                           job.runtime_ns == 0 && job.number_ios == 0 && !job.norandommap &&
                           !job::fields::has_zones(job);
  if (!all_written) return 0;
  return std::min(grows, workload::bytes_to_move(job, t.length, static_cast<std::uint32_t>(job.bs_max[1])));
}

class Spaces {
 public:
  void add(const job::Job& job, const files::PlannedTarget& t) {
    const std::uint64_t bytes = bytes_for_sure(job, t);
    Space* const space = bytes == 0 ? nullptr : of(t.path);
    if (space == nullptr) return;
    auto& grows = space->files[own_name(t.path)];
    const std::uint64_t more = bytes - std::min(grows, bytes);
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
      e.what = fmt::format("the files of job `{}` do not fit", job.name);
      e.cause = fmt::format("the jobs need {} bytes ({}) of the file system of `{}`, which has {} ({}) free",
                            space.needed_bytes, base::text::mib_text(space.needed_bytes),
                            base::text::printable(space.at), space.free_bytes, base::text::mib_text(space.free_bytes));
      e.help = "lower size= or nrfiles=, name another directory=, or use a machine with enough space";
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
    const std::uint64_t free_blocks = ::geteuid() == 0 ? fs.f_bfree : fs.f_bavail;
    if (is_new) space->second.at = at, space->second.free_bytes = free_blocks * fs.f_frsize;
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
