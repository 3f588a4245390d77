// Limits the dirty pages of a file that is written while memory is limited. A memory cgroup of version 1 does not
// throttle writers as the machine does: if dirty pages fill it, the kernel kills a process in it (kernel,
// Documentation/admin-guide/cgroup-v1/memory.rst). Best effort: only regular files have such pages. Thread rule: one
// owner.
#pragma once
#include <cstdint>

namespace fathom::base::files {

class WriteBehind {
 public:
  // 0: no limit.
  explicit WriteBehind(std::uint64_t most_dirty_bytes = 0) : most_dirty_bytes_(most_dirty_bytes) {}
  // Writing starts at this offset.
  void begin_at(std::uint64_t offset) { begun_ = waited_ = offset; }
  // The file is written up to this offset, in order. Waits for the disk if more bytes than the limit are in flight.
  void wrote(int fd, std::uint64_t end);
  std::uint64_t dirty_bytes() const { return written_ > waited_ ? written_ - waited_ : 0; }

 private:
  std::uint64_t most_dirty_bytes_, written_ = 0, begun_ = 0, waited_ = 0;
};

}  // namespace fathom::base::files
