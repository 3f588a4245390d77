// The memory that a job's I/Os move (mem=): private anonymous pages, System V shared memory, a mapping of a file, huge
// pages, and where the engine shares its buffers with a device in another process, a file in memory. Owned by whoever
// holds it; what has a name in the system (a segment) loses it at once, so that nothing is left behind by a job that is
// killed. Source: mmap(2), shmget(2), memfd_create(2), Documentation/admin-guide/mm/hugetlbpage.rst. Thread rule: one
// owner.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "base/system/fd.h"
#include "job/fields/process_options.h"

namespace fathom::workload::bytes {

class MappedMemory {
 public:
  MappedMemory() = default;
  // `bytes` of the kind, zeroed or as the file has them; of huge pages, a multiple of hugepage-size. shared: a file in
  // memory, of huge pages where there are enough, whatever the kind says.
  static base::Expected<MappedMemory> make(const job::fields::BufferMemory& kind, std::size_t bytes, bool shared);
  MappedMemory(MappedMemory&& other) noexcept;
  MappedMemory& operator=(MappedMemory&& other) noexcept;
  ~MappedMemory();

  std::byte* data() const { return data_; }
  int fd() const { return fd_.get(); }  // of the file that a shared one is a mapping of; -1: none

 private:
  base::Expected<void> map_anonymous(std::size_t bytes, unsigned flags);
  base::Expected<void> map_segment(std::size_t bytes, bool huge);
  base::Expected<void> map_file(const job::fields::BufferMemory& kind, std::size_t bytes, int flags);
  base::Expected<void> map_for_device(std::size_t bytes);
  bool map_file_in_memory(std::size_t bytes, unsigned flags);
  void take(void* memory, std::size_t bytes);

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool segment_ = false;
  base::system::UniqueFd fd_;
};

}  // namespace fathom::workload::bytes
