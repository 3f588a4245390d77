// A file that is written while memory is short: what it has in the page cache and not on the disk yet stays below a
// limit. A memory cgroup of version 1 does not hold writers up as the machine does: where all that it may use is dirty pages,
// the kernel kills somebody in it (kernel, Documentation/admin-guide/cgroup-v1/memory.rst). Best effort: what is no
// regular file has no pages. Thread rule: one owner.
#pragma once
#include <cstdint>

namespace fathom::base::files {

class WriteBehind {
 public:
  // 0: no limit.
  explicit WriteBehind(std::uint64_t most_dirty_bytes = 0) : most_dirty_bytes_(most_dirty_bytes) {}
  // The file is written from here on.
  void begin_at(std::uint64_t offset) { begun_ = waited_ = offset; }
  // It has been written up to this offset, in order. Waits for the disk where more than the limit is on the way.
  void wrote(int fd, std::uint64_t end);
  std::uint64_t dirty_bytes() const { return written_ > waited_ ? written_ - waited_ : 0; }

 private:
  std::uint64_t most_dirty_bytes_, written_ = 0, begun_ = 0, waited_ = 0;
};

}  // namespace fathom::base::files
