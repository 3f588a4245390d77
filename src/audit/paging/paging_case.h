// What the audit of a paging run works on: sums over its workers, and the kernel's counts by name. Everything is in
// bytes, a fault being the page that it brings, so that faults and device add up. Pure; thread-safe.
#pragma once
#include <string>
#include <vector>

#include "audit/witnesses/witness.h"
#include "result/paging.h"

namespace fathom::audit::paging {

// A fault brings one page of swap, however large the pages of the map are.
inline constexpr double kFaultBytes = 4096;
// Events that memory.stat may hold back on each CPU before it counts them (MEMCG_CHARGE_BATCH).
inline constexpr double kMemcgBatch = 64;
// Accesses that were under way at the edges of the window, for each thread.
inline constexpr double kEdgeFaults = 2;
// What else reads or writes at a swap device's edges: its header, probes of its content, a readahead under way.
inline constexpr double kEdgePages = 64;
// Writes that a device with requests may hold when the window begins or ends.
inline constexpr double kInFlightBytes = 4 << 20;
// Of a thread's major faults: those that only waited for a page that somebody else had locked (see paging_faults.cc).
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

// The judges, one file each.
void judge_fault_classes(const PagingCase& c, witnesses::Witnesses& out);   // classes against getrusage(2)
void judge_fault_counters(const PagingCase& c, witnesses::Witnesses& out);  // memory.stat and /proc/vmstat
void judge_swap_ins(const PagingCase& c, witnesses::Witnesses& out);        // pages from swap against faults
void judge_swap_devices(const PagingCase& c,
                        witnesses::Witnesses& out);  // bytes of the disks against pages from and to swap
void judge_device_times(const PagingCase& c, witnesses::Witnesses& out);  // bytes of the requests that were timed

// Whether its pages could go to swap: not with --swap=none.
bool has_swap(const result::Paging& paging);
// Majors by getrusage that /proc/vmstat does not have, and the other way round; 0 where the other side is larger.
double waited_faults(const PagingCase& c);
double foreign_faults(const PagingCase& c);

}  // namespace fathom::audit::paging
