// Input of the audit of a paging run: sums over its workers, and the kernel's counts by name. All values are in bytes
// and each fault counts as the page that it brings in, so that faults and device can be compared. Pure; thread-safe.
#pragma once
#include <string>
#include <vector>

#include "audit/witnesses/witness.h"
#include "result/paging.h"

namespace fathom::audit::paging {

// A fault brings in one page of swap, regardless of the page size of the map.
inline constexpr double kFaultBytes = 4096;
// Events that memory.stat may delay on each CPU before it counts them (MEMCG_CHARGE_BATCH).
inline constexpr double kMemcgBatch = 64;
// Accesses in progress at the edges of the window, per thread.
inline constexpr double kEdgeFaults = 2;
// Other pages read or written at the edges on a swap device: its header, content probes, readahead in progress.
inline constexpr double kEdgePages = 64;
// Writes that a device may have in its requests when the window begins or ends.
inline constexpr double kInFlightBytes = 4 << 20;
// Share of a thread's major faults that only waited for a page locked by another thread (see paging_faults.cc).
inline constexpr double kWaitedShare = 0.02;

struct PagingCase {
  const result::Run& run;
  const result::Paging& paging;
  const witnesses::Counts& counts;
  double classes[result::kAccessClasses] = {};  // accesses
  double kernel_minor = 0, kernel_major = 0, extra = 0, own = 0, threads = 0;
  bool file_backed = false;  // faults read the file, not swap

  double vmstat(const std::string& name) const { return named(paging.vmstat, name); }
  static double named(const std::map<std::string, std::uint64_t>& counts, const std::string& name);
};
PagingCase paging_case(const result::Run& run, const std::vector<result::Count>& counts);

// The cross-checks, one file each.
void judge_fault_classes(const PagingCase& c, witnesses::Witnesses& out);   // classes compared with getrusage(2)
void judge_fault_counters(const PagingCase& c, witnesses::Witnesses& out);  // memory.stat and /proc/vmstat
void judge_swap_ins(const PagingCase& c, witnesses::Witnesses& out);        // pages from swap compared with faults
void judge_swap_devices(const PagingCase& c,
                        witnesses::Witnesses& out);  // bytes of the disks compared with pages from and to swap
void judge_device_times(const PagingCase& c, witnesses::Witnesses& out);  // bytes of the timed requests

// True if its pages could go to swap: not with --swap=none.
bool has_swap(const result::Paging& paging);
// Major faults in getrusage that /proc/vmstat lacks, and the reverse; 0 if the other side is larger.
double waited_faults(const PagingCase& c);
double foreign_faults(const PagingCase& c);

}  // namespace fathom::audit::paging
