// Does direct=1 mean anything on this file? Some file systems take O_DIRECT and do the I/O through memory all the same:
// those that are memory (tmpfs, ramfs) or journal their data, and others for some of their files (compressed, encrypted,
// inline, on a stacked file system). The first are known (base/system/direct_io.h); of the others what tells is that the
// file's pages are in the page cache afterwards and were not before: cachestat(2), Linux 6.5; older kernels do not say.
// Thread rule: the parent's.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "result/result.h"
#include "run/files/targets.h"

namespace fathom::run::process {

class CacheLook {
 public:
  // Files are laid out, nothing runs yet. Drops what is cached of the files, as the jobs will (invalidate=1). Files
  // that a buffered job of the same run uses too are left out, and jobs that map their files or read them beforehand
  // (pre_read=1): their pages are meant to be there.
  void before(const std::vector<files::Plan>& plans);
  // After the run: why the job's direct=1 was ignored, into its delivery; nothing: it was not, or it is not known.
  void after(const files::Plan& plan, result::Job& job) const;

 private:
  struct Cached {
    std::uint64_t bytes = 0;
    dev_t device = 0;  // which file it was: the name may be another's afterwards
    ino_t inode = 0;
    bool same_file(const Cached& other) const { return device == other.device && inode == other.inode; }
  };
  static std::optional<Cached> cached(const files::PlannedTarget& t);
  std::map<files::UsedPart, Cached> cached_;
  std::map<std::string, std::string> not_direct_;  // path, on what it lies
};

}  // namespace fathom::run::process
