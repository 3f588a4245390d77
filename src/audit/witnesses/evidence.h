// What the witnesses are judged by: the engine's bytes by the disks that they were meant for, and lookups in the list
// of counts. Pure; thread-safe.
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
// Of the block layer's counts.
constexpr const char* column_of(Way way) { return way == Way::read ? "read_sectors" : "write_sectors"; }
inline constexpr Way kWays[] = {Way::read, Way::write};

bool holds(const std::vector<std::string>& names, const std::string& name);
bool meet(const std::vector<std::string>& a, const std::vector<std::string>& b);  // some name is in both

// What a set of jobs moved in one direction, and what else bears on how the kernel counts it.
struct Moved {
  double bytes = 0, ios = 0;
  double buffered_bytes = 0, buffered_ios = 0;  // of that, through the page cache
  double largest_io_bytes = 0;
  double unclear_ios = 0;  // failed, or in flight when a worker was killed: they may have moved or not
  double files = 0;
  double hole_bytes = 0;        // reads, at most, of places without blocks
  double reserved_bytes = 0;    // reads, at most, of blocks that are only reserved
  double compressed_bytes = 0;  // at most: where the files are stored compressed
  double memory_bytes = 0;      // at most: that came out of what the page cache held, or went where it was dirty
  double before_bytes = 0;      // of that: held (dirty) when the run began
  bool memory_known = true;     // a bound; else all that passed the page cache
  bool deletes_files = false;
  double commits = 0;           // fsync and the like, writes with O_SYNC
  Metadata metadata;            // of the writes
  double retried_bytes = 0;     // at most: of I/Os that were first submitted without waiting, and then again
  double read_ahead_bytes = 0;  // at most: of the I/Os through the page cache
  double under_way_bytes = 0;   // at most: of these, that were asked for and not done yet when the run ended
  double whole_page_bytes = 0;  // at most: that such writes made dirty beside their own
  double pre_read_bytes = 0;    // at most: by pre_read=1, before the jobs began
  double program_bytes = 0;     // at most: pages of programs and libraries, by the workers' major faults
  double runtime_s = 0;
};

struct JobPair {
  const result::Job* job;
  const JobReach* reach;
  bool shares_files = false;  // with another job through the page cache
};
std::vector<JobPair> paired(const result::Run& run, const Facts& facts);
Moved moved(const std::vector<JobPair>& jobs, Way way);
std::vector<std::string> disks_of(const std::vector<JobPair>& jobs);  // each once

// Disks that cannot be told apart because a job works on several of them.
std::vector<std::vector<std::string>> disk_sets(const Facts& facts);

const result::Count* find(const std::vector<result::Count>& counts, std::string_view source, std::string_view subject,
                          std::string_view name);
double value(const result::Count* count);  // 0: there is none

// "4711 dd" and what it moved in one direction, the largest first; and all of them.
struct ForeignProcesses {
  bool known = false;       // somebody looked
  std::string hidden;       // why there are some that nobody can look at; empty: none that is known of
  bool nearly_all = false;  // and could read all but a tenth of them
  double bytes = 0;
  double kernel_bytes = 0;  // of that, by threads of the kernel: on behalf of whom nobody knows
  std::vector<std::pair<std::string, double>> named;
  std::vector<std::pair<std::string, double>> elsewhere;  // who was seen to have nothing open there, and moved bytes
  double nobodys = 0;                                     // of what is asked about: by none of those that are named
  double most = 0;  // what is asked about: a process can be charged more: of an ended child, of pages not written yet
  Way way = Way::read;
};
ForeignProcesses foreign_processes(const std::vector<result::Count>& counts, Way way);
// Those of them that had one of these disks open, or a file on it.
ForeignProcesses openers(const std::vector<result::Count>& counts, const std::vector<std::string>& disks, Way way);
// Who may have moved these bytes on the disks: those openers if they account for them; else also those whose
// descriptors nobody looked into. Who was looked into and had nothing open there is `elsewhere`, and his bytes are not
// counted.
ForeignProcesses foreign_processes_on(const std::vector<result::Count>& counts, const std::vector<std::string>& disks,
                                      Way way, double bytes);
// A loop device's driver reads and writes its file in threads of the kernel's, and a file system writes in them what it
// keeps beside the data: below such a device, and where the run writes files, they are the run's own.
bool writes_files(const std::vector<JobPair>& jobs);
ForeignProcesses without_kernel_threads(ForeignProcesses foreign);
// "4711 blkdiscard": who had one of these disks itself open for writing.
std::vector<std::string> writers_of(const std::vector<result::Count>& counts, const std::vector<std::string>& disks);
// "4711 fstrim": who had the folder open where one of them is mounted.
std::vector<std::string> mount_openers_of(const std::vector<result::Count>& counts,
                                          const std::vector<std::string>& disks);

}  // namespace fathom::audit::witnesses
