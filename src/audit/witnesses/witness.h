// One cross-check: the expected bytes, term by term, the bytes counted, and the explanation of the difference.
// The judge functions, one per source, append to a list. Pure; thread-safe.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "audit/witnesses/evidence.h"
#include "result/audit.h"

namespace fathom::audit::witnesses {

using Witness = result::AuditWitness;
using Witnesses = std::vector<Witness>;
using Counts = std::vector<result::Count>;

inline constexpr double kPageBytes = 4096;
// What a file system reads for a file in addition to its data: directory, inode, and a tree of extents, five levels at
// most, twice.
inline constexpr double kMetadataBlocksOfAFile = 16;
// Blocks that one journal commit writes for a file, at most: descriptor, inode, bitmaps, group, extents, commit;
// then the same blocks at their final location.
inline constexpr double kBlocksOfACommit = 8;
inline constexpr double kCommitEvery_s = 5;  // ext4's and xfs's default, within a factor that kBlocksOfACommit covers
// Metadata per byte written where a file had no block: each block gets an entry in the tree of extents and in a
// bitmap, written to the journal and to the final location. Measured with scattered blocks of 4 KiB on a sparse file on
// ext4: four fifths.
inline constexpr double kMetadataOfNewBytes = 1;
// A difference too small to change any conclusion from a benchmark.
inline constexpr double kNegligible = 1e-3;
// Share of the bytes moved. A larger difference is never an agreement, regardless of its possible explanations.
inline constexpr double kMostAgreed = 0.1;

Witness witness(std::string source, std::string subject, Way way);
void expect(Witness& w, std::string name, double bytes, std::string how);
void see(Witness& w, double bytes);
void see(Witness& w, const result::Count& count);
void explain(Witness& w, std::string name, double bytes, std::string how);
double rest(const Witness& w);  // seen - expected - explained; 0 if the count's interval contains it
bool within(const Witness& w);  // the rest is within the tolerance
void conclude(Witness& w, result::Verdict verdict, std::string diagnosis, std::string cause);
// If a count's source vanished, its value covers only part of the run. True: concluded.
std::string lost_text(double at_s);  // "lost at 3.2 s"
bool conclude_lost(Witness& w, const result::Count* count);
// Sets "unit_error_16" with its sentence if seen / expected is near a unit's factor. True: concluded. This one takes
// the expected bytes as correct; see the next.
bool conclude_unit_error(Witness& w, const std::string& who);
struct Case;
// For a cross-check against the engine's bytes of these jobs: only it has a wrong unit if the kernel's other count
// (the workers' account or the disks' counters) agrees with the engine.
bool conclude_unit_error(const Case& c, const std::vector<JobPair>& jobs, Way way, Witness& w, const std::string& who);

// Adds a second cause, of this many bytes. The larger cause becomes the diagnosis, and the text has both.
void conclude_also(Witness& w, double bytes, std::string diagnosis, std::string cause);
// Sets the tolerance: for I/Os that failed or were cut off; upwards also for what file systems read and write for a
// file in addition to its data.
void tolerate(Witness& w, const Moved& m);
// How the bounds of Moved::metadata were calculated, as text.
std::string metadata_how(const Moved& m);
// The workers read or dirty bytes in addition to the engine's bytes: the terms of their account that add bytes.
// The kernel charges these bytes at submission, but a disk counts them at completion, and of a folio only what was
// written. Explains the bytes that w saw, and returns those that it did not see.
double explain_submitted(const Witness& account, Witness& w);
// The bytes in this direction that these jobs' disks counted beyond the run's bytes on them. Empty: one disk was not
// counted.
std::optional<double> disk_surplus(const Case& c, const std::vector<JobPair>& jobs, Way way);
// An I/O that is submitted without waiting, then again, is counted twice at submission but once by the disk
// (docs/reference/audit.md, section "Counted twice"). True: this may be the surplus of these jobs, and w is concluded.
bool conclude_counted_twice(const Case& c, const std::vector<JobPair>& jobs, Way way, Witness& w);
inline constexpr const char* kCountedTwice = "counted_twice";  // the diagnosis
// Disabled counters of a disk are no cross-check. True: concluded.
bool conclude_switched_off(const Case& c, const std::vector<std::string>& disks, Witness& w);

// The writes of a loop device go to a file. Returns what the file system below may write for them in addition to
// the data, at most. Each flush is an fsync of that file, and a timer commits too. A block that is new in the file gets
// an entry in the tree of extents and in a bitmap.
double journal_bytes(const Case& c, const LayerReach& loop);
std::string journal_how(const Case& c, const LayerReach& loop);
// Explains requested bytes that the disk did not see: by holes, by blocks that are only reserved, and by what the
// page cache can have served to these jobs, at most. seen_bytes: charged to them. False: more is missing than all of
// that.
bool conclude_missing_reads(const Case& c, const std::vector<JobPair>& jobs, double seen_bytes, Witness& w);
// The same for writes, which the kernel charges to no process if the page is already dirty.
bool conclude_missing_writes(const Case& c, const std::vector<JobPair>& jobs, Witness& w);
// Explains bytes missing on the disk by what a compressing file system can have saved, at most.
// waiting_bytes: may still be in memory.
void explain_compressed_writes(const Moved& m, double waiting_bytes, Witness& w);
// The upper bound of all these, as text, for what is not explained.
std::string memory_text(const Case& c, const std::vector<JobPair>& jobs, Way way, double seen_bytes);

// "4711 dd 312 MiB, 99 sync 4 KiB", or why no process can be named.
std::string by_whom(const ForeignProcesses& foreign);

struct Case {
  const result::Run& run;
  const Counts& counts;
  const Facts& facts;
  std::vector<JobPair> jobs;
};

// Compares what the kernel charged to the workers of these jobs with the engines' count. The cross-check with the
// block layer starts from this too. Each account is judged separately, so that one job's cache cannot excuse another's
// missing bytes. The verdict is the worst one, with all terms. Empty: no account covers exactly these jobs.
std::optional<Witness> judge_process(const Case& c, const std::vector<JobPair>& jobs, Way way);

// The cross-checks.
void judge_processes(const Case& c, Witnesses& out);
void judge_blocks(const Case& c, Witnesses& out);
void judge_members(const Case& c, Witnesses& out);
void judge_devices(const Case& c, Witnesses& out);
void judge_queues(const Case& c, Witnesses& out);
void judge_ports(const Case& c, Witnesses& out);
void judge_traces(const Case& c, Witnesses& out);
std::vector<result::LinkFinding> link_changes(const Counts& counts);
// The I/O of other processes on the disks of the run and on the disks below. In a direction that the run used, it
// is what explained the cross-checks. In any other direction, it is all that the run cannot have done itself.
std::vector<result::ForeignIo> foreign_io(const Case& c, const Witnesses& witnesses);

}  // namespace fathom::audit::witnesses
