// Huge pages smaller than a PMD ("mTHP"): counts of those made, swapped and split on the whole machine, by size. The
// kernel has no counter per process. Source: admin-guide/mm/transhuge.rst. Thread rule: any thread.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace fathom::paging::memory {

// "64kB.anon_fault_alloc" -> since boot; empty: a kernel without them. Omits the PMD's own size, which /proc/vmstat
// has. prefix: before /sys, for tests.
std::map<std::string, std::uint64_t> read_mthp(const std::string& prefix = "");

}  // namespace fathom::paging::memory
