// A mapping of a file that another process also has open. That process can truncate the file at any moment, and an
// access to the lost pages then raises SIGBUS here. Refusing files that can shrink (F_SEAL_SHRINK) would refuse
// hugetlbfs, where SPDK has its memory.
// The handler for SIGBUS therefore replaces the whole mapping with anonymous zero pages, the access continues with
// those, and faulted() reports that the other side must no longer be trusted.
//
// The first mapping installs the handler, and it stays. Faults elsewhere go to the previous handler of SIGBUS.
// Thread rule: faulted() from any thread; do not destroy a mapping while another thread may access it.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/error.h"

namespace fathom::nvme::vfio_user::memory {

inline constexpr std::size_t kGuardedMappingsMax = 8192;  // per process

class GuardedMapping {
 public:
  GuardedMapping() = default;
  // Maps `bytes` bytes of the file from offset, a multiple of the file's page size. ErrorKind::usage: the file is
  // shorter than that, or fd is not a file; io, privilege: mmap failed. protection and flags are mmap's.
  static base::Expected<GuardedMapping> make(int fd, std::uint64_t offset, std::uint64_t bytes, int protection,
                                             int flags);
  GuardedMapping(GuardedMapping&& other) noexcept;
  GuardedMapping& operator=(GuardedMapping&& other) noexcept;
  ~GuardedMapping();

  std::byte* memory() const { return memory_; }
  std::size_t bytes() const { return bytes_; }
  bool faulted() const;
  static std::uint64_t faults();  // of all mappings so far; while this number is unchanged, no mapping has faulted

 private:
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;         // as requested
  std::size_t mapped_bytes_ = 0;  // in whole pages of the file (2 MiB in hugetlbfs)
  std::size_t slot_ = 0;
};

}  // namespace fathom::nvme::vfio_user::memory
