// Bounds the dirty pages of a file that is written while memory is limited. A memory cgroup of version 1 does not throttle
// writers as the machine does: where dirty pages fill it, the kernel kills a process in it (kernel,
// Documentation/admin-guide/cgroup-v1/memory.rst). Best effort: only regular files have such pages. Thread rule: one owner.
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
