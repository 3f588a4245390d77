// Does direct=1 mean anything on this file? Some file systems take O_DIRECT and do the I/O through memory all the same:
// those that are memory (tmpfs, ramfs), and others for some of their files (compressed, encrypted, inline, on a stacked
// file system). The first are known by name; of the others what tells is that the file's pages are in the page cache
// afterwards and were not before: cachestat(2), Linux 6.5; older kernels do not say. Thread rule: the parent's.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "result/result.h"
#include "run/targets.h"

namespace fathom::run {

class CacheLook {
 public:
  // Files are laid out, nothing runs yet. Files that a buffered job of the same run uses too are left out.
  void before(const std::vector<Plan>& plans);
  // After the run: why the job's direct=1 was ignored; empty: it was not, or nothing is known.
  std::string why_ignored(const Plan& plan, const result::Job& job) const;

 private:
  std::map<std::string, std::uint64_t> cached_bytes_;  // by path
};

}  // namespace fathom::run
