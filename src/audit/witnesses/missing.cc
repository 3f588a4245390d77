// Bytes that the engine moved but that the kernel charged to no process. Each cause has a measured bound. Holes and
// reserved blocks are bounded by FIEMAP. For jobs through the page cache, the bound has three parts. The first is the
// part of their files that was cached when the run began (cachestat or mincore). The second is what a job can have
// visited twice. The third is what other processes can have read during the run: at most what the disk read beyond the
// job's own bytes. Bytes beyond these bounds are missing.
#include <fmt/format.h>

#include <algorithm>

#include "audit/text.h"
#include "audit/witnesses/witness.h"

namespace fathom::audit::witnesses {
namespace {

using result::Verdict;

struct Bound {
  double bytes = 0;
  std::string how;
  double foreign_bytes = 0;  // the part from other processes
};

// Bytes that the disks of these jobs read for other processes; nullopt: the count of a disk is missing or incomplete.
std::optional<double> read_by_others(const Case& c, const std::vector<JobPair>& jobs, double seen_bytes) {
  if (std::any_of(jobs.begin(), jobs.end(), [](const JobPair& pair) { return pair.reach->disks.empty(); }))
    return std::nullopt;
  double bytes = 0;
  for (const auto& disk : disks_of(jobs)) {
    const auto* count = find(c.counts, "block", disk, "read_sectors");
    if (count == nullptr || count->lost_at_s) return std::nullopt;
    bytes += count->value;
  }
  return std::max(0.0, bytes - seen_bytes - moved(jobs, Way::read).pre_read_bytes);
}

// Bytes that other processes can have written to the jobs' files. A process known to have nothing open on their disks
// is excluded.
double written_by_others(const Case& c, const std::vector<JobPair>& jobs, double missing_bytes) {
  const auto disks = disks_of(jobs);
  return disks.empty() ? foreign_processes(c.counts, Way::write).bytes
                       : foreign_processes_on(c.counts, disks, Way::write, missing_bytes).bytes;
}

Bound memory_bound(const Case& c, const std::vector<JobPair>& jobs, Way way, double seen_bytes) {
  const Moved m = moved(jobs, way);
  const auto foreign_bytes = way == Way::read
                                 ? read_by_others(c, jobs, seen_bytes)
                                 : std::optional(written_by_others(c, jobs, m.buffered_bytes - seen_bytes));
  if (m.buffered_bytes <= 0) return {};
  if (!m.memory_known || !foreign_bytes)
    return {m.buffered_bytes, fmt::format("of {} {} through the page cache; how much it held before is not known",
                                          bytes_text(m.buffered_bytes), way == Way::read ? "read" : "written")};
  const double bytes = std::min(m.buffered_bytes, m.memory_bytes + *foreign_bytes);
  const double from_others = std::max(0.0, bytes - m.memory_bytes);
  auto how =
      fmt::format("at most {} of {} through the page cache: {} were {} when the run began", bytes_text(bytes),
                  bytes_text(m.buffered_bytes), bytes_text(m.before_bytes), way == Way::read ? "in it" : "dirty");
  if (from_others > 0)
    how += fmt::format(", and other processes {} {} during the run", way == Way::read ? "read" : "wrote",
                       bytes_text(*foreign_bytes));
  return {bytes, std::move(how), from_others};
}

// Explains the missing bytes up to the bound.
void take(double& missing, double most, const char* name, std::string how, const char* diagnosis, const char* said,
          Witness& w) {
  const double bytes = std::min(missing, most);
  if (bytes <= 0) return;
  missing -= bytes;
  explain(w, name, -bytes, std::move(how));
  conclude_also(w, bytes, diagnosis, fmt::format(fmt::runtime(said), bytes_text(bytes)));
}

void take_compressed(const Moved& m, double& missing, Witness& w) {
  take(missing, m.compressed_bytes, "compressed",
       fmt::format("of at most {} that are stored compressed", bytes_text(m.compressed_bytes)), "compressed",
       "{} less were moved, because the file system stores the data compressed", w);
}

}  // namespace

void explain_compressed_writes(const Moved& m, double waiting_bytes, Witness& w) {
  double missing = -rest(w) - waiting_bytes;
  take_compressed(m, missing, w);
}

bool conclude_missing_reads(const Case& c, const std::vector<JobPair>& jobs, double seen_bytes, Witness& w) {
  double missing = -rest(w);
  const Moved m = moved(jobs, Way::read);
  const Bound memory = memory_bound(c, jobs, Way::read, seen_bytes);
  if (missing > m.hole_bytes + m.reserved_bytes + m.compressed_bytes + memory.bytes + w.tolerance_bytes) return false;
  take(missing, m.hole_bytes, "holes", fmt::format("at most {} were read where no block is", bytes_text(m.hole_bytes)),
       "holes", "{} were read from holes, places without a block", w);
  take(missing, m.reserved_bytes, "unwritten extents",
       fmt::format("at most {} were read where blocks are only reserved", bytes_text(m.reserved_bytes)), "unwritten",
       "{} were read from blocks that were only reserved and never written", w);
  take_compressed(m, missing, w);
  take(missing, memory.bytes, "page-cache hits", memory.how, "page_cache", "{} came from memory, not from storage", w);
  return true;
}

bool conclude_missing_writes(const Case& c, const std::vector<JobPair>& jobs, Witness& w) {
  double missing = -rest(w);
  const Bound memory = memory_bound(c, jobs, Way::write, 0);
  if (missing > memory.bytes + w.tolerance_bytes) return false;
  const bool of_foreign = missing > memory.bytes - memory.foreign_bytes + w.tolerance_bytes;
  take(missing, memory.bytes, "rewritten in memory", memory.how + "; a page that is dirty already is not charged again",
       "page_cache",
       of_foreign ? "{} went to pages that were dirty already, or other processes wrote them first: they wrote as much "
                    "meanwhile"
                  : "{} went to pages that were dirty already",
       w);
  return true;
}

std::string memory_text(const Case& c, const std::vector<JobPair>& jobs, Way way, double seen_bytes) {
  const Bound memory = memory_bound(c, jobs, way, seen_bytes);
  return memory.bytes > 0 ? "; memory can have served " + memory.how : "";
}

}  // namespace fathom::audit::witnesses
