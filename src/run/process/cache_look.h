// Detects files on which direct=1 has no effect. Some file systems accept O_DIRECT and still do the I/O through memory:
// those in memory (tmpfs, ramfs), those that journal their data, and others for some files (compressed, encrypted,
// inline, on a stacked file system). base/system/direct_io.h knows the first two groups. For the others, the test is
// whether the file's pages are in the page cache after the run and were not before: cachestat(2), Linux 6.5. Older
// kernels do not provide this.
// btrfs copies direct writes of data with checksums, and drops the copies: there, the test is whether the file has pages
// while the job writes.
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
  // Call it when the files are laid out and nothing runs yet. Drops the cached pages of the files, as the jobs will
  // (invalidate=1). Omits files that a buffered job of the same run also uses, and jobs that map their files or read
  // them beforehand (pre_read=1): their pages belong in the cache.
  void before(const std::vector<files::Plan>& plans);
  // At each sample while the jobs run.
  void look();
  // After the run: stores in the job's delivery why direct=1 was ignored. Stores nothing if it was not, or if this is
  // unknown.
  void after(const files::Plan& plan, result::Job& job) const;

 private:
  struct Cached {
    std::uint64_t bytes = 0;
    dev_t device = 0;  // identifies the file: afterwards, the name may belong to another one
    ino_t inode = 0;
    bool same_file(const Cached& other) const { return device == other.device && inode == other.inode; }
  };
  // A file without pages on a file system that may copy direct writes, and that a job writes to.
  struct Copied {
    const files::PlannedTarget* target;  // of the plans
    std::string why;
    std::uint32_t looks = 0, with_pages = 0;
  };
  void say_copied(const files::Plan& plan, result::Job& job) const;
  static std::optional<Cached> cached(const files::PlannedTarget& t);
  std::map<files::UsedPart, Cached> cached_;
  std::map<std::string, std::string> not_direct_;  // path; file system
  std::vector<Copied> copied_;
};

}  // namespace fathom::run::process
