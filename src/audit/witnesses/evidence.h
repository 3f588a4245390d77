// Input of the cross-checks: the engine's bytes by target disk, and lookups in the list of counts. Pure; thread-safe.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/witnesses/facts.h"
#include "audit/witnesses/metadata.h"
#include "result/result.h"

namespace fathom::audit::witnesses {

enum class Way { read, write };
constexpr const char* name(Way way) { return way == Way::read ? "read" : "write"; }
// Name of the block layer's count.
constexpr const char* column_of(Way way) { return way == Way::read ? "read_sectors" : "write_sectors"; }
inline constexpr Way kWays[] = {Way::read, Way::write};

bool holds(const std::vector<std::string>& names, const std::string& name);
bool meet(const std::vector<std::string>& a, const std::vector<std::string>& b);  // true if a name is in both

// The bytes that a set of jobs moved in one direction, and the facts that affect how the kernel counts them.
struct Moved {
  double bytes = 0, ios = 0;
  double buffered_bytes = 0, buffered_ios = 0;  // the part through the page cache
  double largest_io_bytes = 0;
  double unclear_ios = 0;  // failed, or in flight when a worker was killed: they may have moved data or not
  double files = 0;
  double hole_bytes = 0;        // reads of holes, at most
  double reserved_bytes = 0;    // reads of blocks that are only reserved, at most
  double compressed_bytes = 0;  // in files that are stored compressed, at most
  double memory_bytes = 0;      // read from data that the page cache held, or written to dirty pages, at most
  double before_bytes = 0;      // the part that was cached (dirty) when the run began
  bool memory_known = true;     // memory_bytes is a bound; false: all that passed the page cache
  bool deletes_files = false;
  double commits = 0;           // fsync and the like, and writes with O_SYNC
  Metadata metadata;            // for the writes
  double retried_bytes = 0;     // I/Os submitted first without waiting, then again, at most
  double read_ahead_bytes = 0;  // for the I/Os through the page cache, at most
  double under_way_bytes = 0;   // the part requested but not complete when the run ended, at most
  double whole_page_bytes = 0;  // dirtied by such writes in addition to their own bytes, at most
  double pre_read_bytes = 0;    // read by pre_read=1 before the jobs began, at most
  double program_bytes = 0;     // pages of programs and libraries, by the workers' major faults, at most
  double runtime_s = 0;
};

struct JobPair {
  const result::Job* job;
  const JobReach* reach;
  bool shares_files = false;  // a file in common with another job through the page cache
};
std::vector<JobPair> paired(const result::Run& run, const Facts& facts);
Moved moved(const std::vector<JobPair>& jobs, Way way);
std::vector<std::string> disks_of(const std::vector<JobPair>& jobs);  // each once

// Disks that cannot be separated because a job uses several of them.
std::vector<std::vector<std::string>> disk_sets(const Facts& facts);

const result::Count* find(const std::vector<result::Count>& counts, std::string_view source, std::string_view subject,
                          std::string_view name);
double value(const result::Count* count);  // 0: no such count

// Other processes ("4711 dd") and the bytes that each moved in one direction, the largest first, and their sum.
struct ForeignProcesses {
  bool known = false;       // the processes were examined
  std::string hidden;       // why some processes cannot be examined; empty: no such process is known
  bool nearly_all = false;  // examined, none hidden, and all but a tenth were readable
  double bytes = 0;
  double kernel_bytes = 0;  // the part by kernel threads; for which process is unknown
  std::vector<std::pair<std::string, double>> named;
  std::vector<std::pair<std::string, double>> elsewhere;  // moved bytes, but had nothing open there
  double nobodys = 0;                                     // the part of `most` that no named process accounts for
  // The bytes in question. A process can be charged more: for an ended child, or for pages not written yet.
  double most = 0;
  Way way = Way::read;
};
ForeignProcesses foreign_processes(const std::vector<result::Count>& counts, Way way);
// Those processes that had one of these disks or a file on it open.
ForeignProcesses openers(const std::vector<result::Count>& counts, const std::vector<std::string>& disks, Way way);
// The processes that may have moved these bytes on the disks: the openers, if they account for the bytes.
// Otherwise also the processes with unread descriptors. A process with readable descriptors and nothing open there is
// in `elsewhere`, and its bytes are not counted.
ForeignProcesses foreign_processes_on(const std::vector<result::Count>& counts, const std::vector<std::string>& disks,
                                      Way way, double bytes);
// Kernel threads read and write the file of a loop device. A file system also uses them to write its metadata.
// Below such a device, and if the run writes files, these threads therefore belong to the run.
bool writes_files(const std::vector<JobPair>& jobs);
ForeignProcesses without_kernel_threads(ForeignProcesses foreign);
// "4711 blkdiscard": processes that had one of these disks itself open for writing.
std::vector<std::string> writers_of(const std::vector<result::Count>& counts, const std::vector<std::string>& disks);
// "4711 fstrim": processes that had the mount point of one of them open.
std::vector<std::string> mount_openers_of(const std::vector<result::Count>& counts,
                                          const std::vector<std::string>& disks);

}  // namespace fathom::audit::witnesses
