// Checks of the run as a whole: its end, and its bytes held against the block layer's count.
//
// The comparison of bytes is only as good as its conditions: one disk, every job past the page cache and onto that
// disk, everything measured (a ramp moves bytes that are not in the result), nothing broken off. Merges do not matter,
// since sectors are counted. Where a condition is not met the check is silent; it is no proof then, and says none.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/checks.h"
#include "audit/job_view.h"
#include "audit/run_findings.h"

namespace fathom::audit {
namespace {

using result::Severity;

struct Bytes {
  std::uint64_t read = 0, write = 0;
};

bool comparable(const result::Run& run, const result::Job& job) {
  return is_direct(run, job) && !has_ramp(run, job) && !job.interrupted && job.error == 0 && job.error_count == 0;
}

// The one disk that every target lies on, nullptr if there is none or several.
const result::Disk* only_disk(const result::Run& run) {
  if (run.disks.size() != 1) return nullptr;
  const auto& disk = run.disks.front();
  const bool all_on_it = std::all_of(run.host.devices.begin(), run.host.devices.end(),
                                     [&](const result::DeviceFacts& d) { return d.disk == disk.name; });
  return all_on_it ? &disk : nullptr;
}

void compare(const char* what, std::uint64_t engine, std::uint64_t block, const std::string& disk, Findings& out) {
  if (std::max(engine, block) < kFewestAuditedBytes || engine == 0) return;
  const double difference = (static_cast<double>(block) - static_cast<double>(engine)) / static_cast<double>(engine);
  if (std::abs(difference) <= kBytesDifference) return;
  out.push_back({"audit.block_bytes", Severity::warning, "",
                 fmt::format("{}: the engine moved {} bytes, the block layer of {} counted {} ({:+.1f} %)", what,
                             engine, disk, block, 100 * difference),
                 difference > 0
                     ? "something else used the disk, or the file system added its own I/O: run on an idle machine "
                       "(--settle) or on the raw device"
                     : "part of the I/O did not reach the disk (holes, unwritten extents or a cache): write the file "
                       "fully before reading it"});
}

}  // namespace

void check_block_bytes(const result::Run& run, Findings& out) {
  const result::Disk* disk = only_disk(run);
  if (!disk || run.interrupted) return;
  constexpr std::uint64_t kSectorBytes = 512;
  Bytes engine;
  bool unified = false;
  for (const auto& job : run.jobs) {
    if (!reaches_disk(job) || !moved_data(job)) continue;
    if (!comparable(run, job)) return;
    engine.read += job.dirs[0].bytes;
    engine.write += job.dirs[1].bytes;
    unified |= job.unified;
  }
  const Bytes block{disk->read_sectors * kSectorBytes, disk->write_sectors * kSectorBytes};
  if (unified) {
    compare("read and write", engine.read + engine.write, block.read + block.write, disk->name, out);
    return;
  }
  compare("read", engine.read, block.read, disk->name, out);
  compare("write", engine.write, block.write, disk->name, out);
}

void check_interrupted(const result::Run& run, Findings& out) {
  const auto stopped =
      std::count_if(run.jobs.begin(), run.jobs.end(), [](const result::Job& job) { return job.interrupted; });
  if (!run.interrupted && stopped == 0) return;
  out.push_back({"run.interrupted", Severity::warning, "",
                 fmt::format("stopped before its end; {} of {} jobs were cut short", stopped, run.jobs.size()),
                 "the numbers cover what was done until then: let the run end by itself to compare it with others"});
}

}  // namespace fathom::audit
