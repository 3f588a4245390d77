// A mapping of a file that another process holds too. That process can cut the file short at any moment, and the next
// touch of the lost pages is a SIGBUS here. Refusing files that can shrink (F_SEAL_SHRINK) would refuse hugetlbfs,
// where SPDK keeps its memory. So the signal is caught: the whole mapping is replaced by anonymous zero pages, the
// access goes on with those, and faulted() tells that the other side is not to be trusted any longer.
//
// The handler is installed with the first mapping and stays; faults elsewhere go to whatever handled SIGBUS before.
// Thread rule: faulted() from any thread; a mapping must not be destroyed while another thread may touch it.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/error.h"

namespace fathom::nvme::vfio_user::memory {

inline constexpr std::size_t kGuardedMappingsMax = 8192;  // in one process

class GuardedMapping {
 public:
  GuardedMapping() = default;
  // bytes of the file from offset, a multiple of the file's page. ErrorKind::usage: the file is shorter than that,
  // or no file at all; io, privilege: mmap failed. protection and flags are mmap's.
  static base::Expected<GuardedMapping> make(int fd, std::uint64_t offset, std::uint64_t bytes, int protection,
                                             int flags);
  GuardedMapping(GuardedMapping&& other) noexcept;
  GuardedMapping& operator=(GuardedMapping&& other) noexcept;
  ~GuardedMapping();

  std::byte* memory() const { return memory_; }
  std::size_t bytes() const { return bytes_; }
  bool faulted() const;
  static std::uint64_t faults();  // of all mappings so far: while it stands still, none has faulted since

 private:
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;         // as asked for
  std::size_t mapped_bytes_ = 0;  // in whole pages of the file (2 MiB in hugetlbfs)
  std::size_t slot_ = 0;
};

}  // namespace fathom::nvme::vfio_user::memory
