// The observed process. Its files under /proc are opened once, so another process that gets its pid later is never
// touched. All functions only read or mark page tables; the process itself is not stopped. Thread rule: one thread.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"
#include "paging/learn/observe/proc_maps.h"

namespace fathom::paging::learn::observe {

// Words of /proc/PID/pagemap (Documentation/admin-guide/mm/pagemap.rst).
inline constexpr std::uint64_t kPresent = 1ull << 63, kSwapped = 1ull << 62, kSoftDirty = 1ull << 55;
constexpr std::uint64_t frame(std::uint64_t word) {  // 0: not there, or hidden from a caller without CAP_SYS_ADMIN
  return (word & kPresent) != 0 ? word & ((1ull << 55) - 1) : 0;
}
inline constexpr std::uint64_t kPageBytes = 4096;

enum class Marks : char {  // values for /proc/PID/clear_refs (proc_pid_clear_refs(5))
  referenced = '1',        // clears the referenced bits
  soft_dirty = '4',        // clears the soft-dirty bits and flushes the TLBs
};

class Target {
 public:
  // Errors: usage (no such process, a kernel thread, oneself), privilege (another user's).
  static base::Expected<Target> open(pid_t pid);
  pid_t pid() const { return pid_; }
  bool ended() const;  // a zombie has ended
  // After an exec the files belong to the old memory: opens them again. False: ended, or no longer permitted.
  bool reopen();
  std::string command() const;
  double cpu_s() const;  // CPU time used so far, all threads
  // maps; with_use: smaps, which walks the page tables.
  std::vector<Mapping> mappings(bool with_use) const;  // watched ones; empty: the process has ended
  std::uint64_t referenced_bytes() const;              // of them together
  bool clear(Marks marks) const;                       // false: ended, or refused
  // Words of the pages from `page` on. A word that cannot be read is 0: not present.
  void read_pagemap(std::uint64_t page, std::span<std::uint64_t> words) const;

 private:
  Target() = default;
  std::string text(const char* name) const;
  base::Expected<void> open_files();
  pid_t pid_ = 0;
  base::system::UniqueFd folder_, pidfd_, pagemap_, clear_refs_;
};

// Whether this kernel keeps soft-dirty bits, tested on a page of fathom; and whether it shows page frames to fathom.
bool kernel_has_soft_dirty();
bool frames_are_shown();

}  // namespace fathom::paging::learn::observe
