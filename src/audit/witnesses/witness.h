// One witness being judged: what was expected of it, term by term, what it saw, and what explains the difference. The
// judges, one a source, append to a list. Pure; thread-safe.
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
// What a file system reads of a file's own data: directory, inode, and a tree of extents at most five deep, twice.
inline constexpr double kMetadataBlocksOfAFile = 16;
// What one commit of a journal writes at most for a file: descriptor, inode, bitmaps, group, extents, commit; and the
// same blocks once more at their place.
inline constexpr double kBlocksOfACommit = 8;
inline constexpr double kCommitEvery_s = 5;  // ext4's and xfs's default, within a factor that kBlocksOfACommit covers
// Of what is written where a file had no block yet: each takes a place in the tree of extents and in a bitmap, written
// to the journal and to their place. Scattered blocks of 4 KiB on a sparse file on ext4: measured four fifths.
inline constexpr double kMetadataOfNewBytes = 1;
// A difference that changes no conclusion that can be drawn from a benchmark.
inline constexpr double kNegligible = 1e-3;
// Of what was moved: a larger difference agrees with nothing, whatever may hide it.
inline constexpr double kMostAgreed = 0.1;

Witness witness(std::string source, std::string subject, Way way);
void expect(Witness& w, std::string name, double bytes, std::string how);
void see(Witness& w, double bytes);
void see(Witness& w, const result::Count& count);
void explain(Witness& w, std::string name, double bytes, std::string how);
double rest(const Witness& w);  // seen - expected - what is explained; 0 where the count's interval holds it
bool within(const Witness& w);  // the rest is within the tolerance
void conclude(Witness& w, result::Verdict verdict, std::string diagnosis, std::string cause);
// A count whose source vanished: what it saw until then is no witness of the whole. True: concluded.
std::string lost_text(double at_s);  // "lost at 3.2 s"
bool conclude_lost(Witness& w, const result::Count* count);
// "unit_error_16" with its sentence, where seen / expected is near to a unit's factor. True: concluded. It is what is
// expected that is not doubted: see the next.
bool conclude_unit_error(Witness& w, const std::string& who);
struct Case;
// Of a witness that is compared with the engine's bytes of these jobs: it alone has them in a wrong unit only where the
// other of the two that the kernel keeps (the workers' account, the disks' counters) has them as the engine has.
bool conclude_unit_error(const Case& c, const std::vector<JobPair>& jobs, Way way, Witness& w, const std::string& who);

// A second cause beside an earlier one, of this many bytes: the larger of them is the diagnosis, both are said.
void conclude_also(Witness& w, double bytes, std::string diagnosis, std::string cause);
// Sets what may be off: downwards I/Os that failed or were cut, upwards also what file systems read and write of their
// own for a file.
void tolerate(Witness& w, const Moved& m);
// The text of how the bounds of Moved::metadata came about.
std::string metadata_how(const Moved& m);
// What the workers read or made dirty beside the engine's bytes (the terms of their account that add bytes) is charged to
// them when it is submitted, and counted by a disk when it is done; of a folio, only what was written. Explains as much of
// it as w saw; what it did not see is returned.
double explain_submitted(const Witness& account, Witness& w);
// What these jobs' disks counted more in this direction than the run moved on them; nothing: one was not counted.
std::optional<double> disk_surplus(const Case& c, const std::vector<JobPair>& jobs, Way way);
// I/Os that were submitted without waiting and then once more are counted twice where they are submitted and once by
// the disk (docs/reference/audit.md, section "Counted twice"). True: the surplus of these jobs may be that, and w is
// concluded.
bool conclude_counted_twice(const Case& c, const std::vector<JobPair>& jobs, Way way, Witness& w);
inline constexpr const char* kCountedTwice = "counted_twice";  // the diagnosis
// The disk's counters are switched off: what they say is no witness. True: concluded.
bool conclude_switched_off(const Case& c, const std::vector<std::string>& disks, Witness& w);

// A loop device's writes are a file's: what the file system below may write of its own for them, at most. Each flush is
// an fsync of that file, time commits too, and a block that the file did not have yet enters the tree of extents and a
// bitmap.
double journal_bytes(const Case& c, const LayerReach& loop);
std::string journal_how(const Case& c, const LayerReach& loop);
// What was asked for and the disk did not see, as far as it can be explained: by places without blocks, by blocks that
// are only reserved, and by as much of the page cache as these jobs can have been served from. seen_bytes: charged to
// them. False: more is missing than all of that.
bool conclude_missing_reads(const Case& c, const std::vector<JobPair>& jobs, double seen_bytes, Witness& w);
// The same of writes, which nobody is charged for where a page is dirty already.
bool conclude_missing_writes(const Case& c, const std::vector<JobPair>& jobs, Witness& w);
// Of what the disk was given less: as much as a file system that compresses it can have spared.
// waiting_bytes: may wait in memory.
void explain_compressed_writes(const Moved& m, double waiting_bytes, Witness& w);
// The most of it all, in words, for what is not explained.
std::string memory_text(const Case& c, const std::vector<JobPair>& jobs, Way way, double seen_bytes);

// "4711 dd 312 MiB, 99 sync 4 KiB", or why nobody can be named.
std::string by_whom(const ForeignProcesses& foreign);

struct Case {
  const result::Run& run;
  const Counts& counts;
  const Facts& facts;
  std::vector<JobPair> jobs;
};

// What the kernel charged to the workers of these jobs, held against the engines' count; also what the block layer's
// judge starts from. Each account is judged by itself, so that a job's cache cannot excuse another's missing bytes; the
// worst of them is the verdict, and all terms stand. Nothing: no account is of these jobs alone.
std::optional<Witness> judge_process(const Case& c, const std::vector<JobPair>& jobs, Way way);

// The judges.
void judge_processes(const Case& c, Witnesses& out);
void judge_blocks(const Case& c, Witnesses& out);
void judge_members(const Case& c, Witnesses& out);
void judge_devices(const Case& c, Witnesses& out);
void judge_queues(const Case& c, Witnesses& out);
void judge_ports(const Case& c, Witnesses& out);
void judge_traces(const Case& c, Witnesses& out);
std::vector<result::LinkFinding> link_changes(const Counts& counts);
// What others did to the disks of the run and to those that they lie on: in a direction of the run's own, what the
// witnesses were explained by; in any other, all that the run itself cannot have done.
std::vector<result::ForeignIo> foreign_io(const Case& c, const Witnesses& witnesses);

}  // namespace fathom::audit::witnesses
