// A file shared by many jobs is examined once. A file system that stores other bytes than the written ones (compressed,
// inside an inode) has no bound: the bytes read from it may differ from the bytes moved.
#include "witness/targets/file_state.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/extents.h"
#include "base/system/direct_io.h"
#include "base/system/fd.h"
#include "base/system/page_cache.h"
#include "io/engines.h"
#include "job/fields/files.h"
#include "job/fields/offset_choice.h"
#include "run/process/stages.h"

namespace fathom::witness::targets {
namespace {

constexpr std::size_t kMostFiles = 4096;

using run::files::UsedPart;

bool is_file(const run::files::PlannedTarget& t) { return t.kind == io::TargetKind::regular; }
bool is_cached(const run::files::PlannedTarget& t) { return is_file(t) || t.kind == io::TargetKind::block; }

base::system::UniqueFd opened(const std::string& path) {
  return base::system::UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

struct Places : base::FilePlaces {
  bool not_direct = false;  // even if a job requests it
};

// From the number of blocks, if the file system does not report more.
Places by_blocks(const run::files::PlannedTarget& t) {
  constexpr double kStatBlock = 512;
  Places places;
  places.plain = false;
  struct stat st {};
  if (::stat(t.path.c_str(), &st) != 0) return places;
  const double holes = static_cast<double>(st.st_size) - kStatBlock * static_cast<double>(st.st_blocks);
  places.holes = std::clamp(holes, 0.0, static_cast<double>(t.length));
  return places;
}

Places places_of(const run::files::PlannedTarget& t) {
  const auto fd = opened(t.path);
  const auto told = base::file_places(fd.get(), t.start, t.length);
  Places places = told ? Places{*told} : by_blocks(t);
  places.not_direct = !base::system::why_not_direct(fd.get()).empty();
  return places;
}

// True if one pass visits every byte of the job's targets once, so that first visits are known.
bool visits_once(const run::files::Plan& plan) {
  const auto& job = plan.job;
  const auto plain = [](std::uint64_t least, std::uint64_t most) { return least == most; };
  const std::size_t d = job.mode.reads ? 0 : 1;
  const bool sizes = plain(job.bs_min[d], job.bs_max[d]) && (!job.mode.mixed() || job.bs_min[0] == job.bs_min[1]);
  const bool order = job.mode.random ? !job.norandommap && job.distribution[d].kind == pattern::Kind::uniform
                                     : job.mode.sequential_add == 0;
  const bool aligned = !job.bs_unaligned && job.blockalign[d] == job.bs_min[d] && job.bssplit[d].empty();
  // A zone may be read again before the next one. With several files, one may start again before the others are
  // finished.
  const bool zones = job::fields::has_zones(job);
  const bool passes = plan.targets.size() == 1 || (!job.time_based && job.loops == 1);
  return sizes && order && aligned && passes && !zones && job.mode.sequence == 1;
}

bool is_skewed(const run::files::Plan& plan) {
  const auto& job = plan.job;
  const bool drawn = job.mode.random && job.distribution[job.mode.reads ? 0 : 1].kind != pattern::Kind::uniform;
  const bool files =
      plan.targets.size() > 1 && job.of<job::fields::FileOptions>().order == job::fields::FileOrder::drawn;
  return drawn || files || job::fields::has_zones(job);
}

// Jobs with a file in common, directly or through other jobs.
class Groups {
 public:
  explicit Groups(std::size_t jobs) : of_(jobs) {
    for (std::size_t i = 0; i < jobs; ++i) of_[i] = static_cast<int>(i);
  }
  void join(const std::string& path, std::size_t job) {
    const auto [at, is_new] = first_.try_emplace(path, job);
    if (!is_new) of_[static_cast<std::size_t>(root(static_cast<int>(job)))] = root(static_cast<int>(at->second));
  }
  int root(int job) const {
    while (of_[static_cast<std::size_t>(job)] != job) job = of_[static_cast<std::size_t>(job)];
    return job;
  }

 private:
  std::vector<int> of_;
  std::map<std::string, std::size_t> first_;
};

std::size_t files_of(const std::vector<run::files::Plan>& plans) {
  std::set<std::string> paths;
  for (const auto& plan : plans)
    for (const auto& t : plan.targets) paths.insert(t.path);
  return paths.size();
}

std::optional<base::system::CacheContent> content_of(const run::files::PlannedTarget& t, bool invalidate) {
  const auto fd = opened(t.path);
  if (!fd) return std::nullopt;
  if (invalidate && is_file(t))
    ::posix_fadvise(fd.get(), static_cast<off_t>(t.start), static_cast<off_t>(t.length), POSIX_FADV_DONTNEED);
  return base::system::cache_content(fd.get(), t.start, t.length);
}

// Files with pages that a job of the run is meant to find in the cache.
std::set<std::string> kept_files(const std::vector<run::files::Plan>& plans) {
  std::set<std::string> kept;
  for (const auto& plan : plans)
    for (const auto& t : plan.targets)
      if (!plan.job.invalidate) kept.insert(t.path);
  return kept;
}

}  // namespace

bool is_direct(const job::Job& job) { return job.direct && !io::traits_of(job.ioengine).maps_files; }

void look_at_files(const std::vector<run::files::Plan>& plans, audit::witnesses::Facts& facts) {
  const bool ask = files_of(plans) <= kMostFiles;
  std::map<UsedPart, Places> known;
  Groups groups(plans.size());
  std::set<std::string> written, writing;  // by finished stages; by the current one
  for (std::size_t i = 0, end = 0; i < plans.size(); ++i) {
    if (i == end) {
      end = run::process::stage_end(plans, i);
      written.merge(writing);
    }
    auto& reach = facts.jobs[i];
    reach.cache_known = ask && !plans[i].failed;
    reach.mixed = plans[i].job.mode.mixed();
    reach.deletes_files = plans[i].job.unlink;
    reach.skewed = is_skewed(plans[i]);
    const bool once = visits_once(plans[i]);
    for (const auto& t : plans[i].targets) {
      groups.join(t.path, i);
      // The remainder at the end of the I/O region is too short for a block, so no I/O visits it.
      const std::uint64_t block = plans[i].job.bs_min[plans[i].job.mode.reads ? 0 : 1];
      const std::uint64_t whole_blocks_bytes = t.length - t.length % block;
      if (once) reach.visit_bytes += static_cast<double>(whole_blocks_bytes);
      if (!is_file(t)) continue;
      const auto [at, is_new] = known.try_emplace(used_part(t));
      if (is_new) at->second = ask ? places_of(t) : by_blocks(t);
      reach.sparse_bytes += at->second.holes;
      if (plans[i].job.mode.writes) writing.insert(t.path);
      // Blocks that are only reserved now may be written before the job reads them.
      if (!written.contains(t.path)) reach.reserved_bytes += at->second.reserved;
      reach.compressed_bytes += at->second.compressed;
      reach.cache_known &= at->second.plain;
      reach.journals_data |= at->second.not_direct;
      // Compressed data is read through memory.
      reach.direct &= !at->second.not_direct && (!plans[i].job.mode.reads || at->second.compressed == 0);
    }
    reach.direct &= !reach.journals_data;
    reach.cache_known &= !reach.direct;
  }
  for (std::size_t i = 0; i < plans.size(); ++i) facts.jobs[i].files_group = groups.root(static_cast<int>(i));
}

void look_at_written_files(const std::vector<run::files::Plan>& plans, audit::witnesses::Facts& facts) {
  if (files_of(plans) > kMostFiles) return;
  constexpr std::string_view kNeverCompress = " ext2 ext3 ext4 xfs ";
  for (std::size_t i = 0; i < plans.size(); ++i) {
    auto& reach = facts.jobs[i];
    if (!plans[i].job.mode.writes || reach.files == 0) continue;
    if (kNeverCompress.find(" " + reach.file_system + " ") != std::string_view::npos) continue;
    double bytes = 0;
    for (const auto& t : plans[i].targets)
      if (is_file(t)) bytes += places_of(t).compressed;
    reach.compressed_bytes = std::max(reach.compressed_bytes, bytes);
  }
}

void look_at_page_cache(const std::vector<run::files::Plan>& plans, audit::witnesses::Facts& facts) {
  const auto kept = kept_files(plans);
  std::map<UsedPart, std::optional<base::system::CacheContent>> known;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    auto& reach = facts.jobs[i];
    if (!reach.cache_known) continue;
    for (const auto& t : plans[i].targets) {
      if (!is_cached(t)) continue;
      const auto [at, is_new] = known.try_emplace(used_part(t));
      if (is_new) at->second = content_of(t, !kept.contains(t.path));
      reach.cache_known &= at->second.has_value();
      if (!at->second) break;
      reach.cached_bytes += static_cast<double>(at->second->cached_bytes);
      reach.dirty_bytes += static_cast<double>(at->second->dirty_bytes.value_or(at->second->cached_bytes));
    }
  }
}

}  // namespace fathom::witness::targets
