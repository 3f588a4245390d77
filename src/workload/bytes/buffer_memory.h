// The memory for a job's I/Os (mem=): private anonymous pages, System V shared memory, a file mapping, huge pages, or a
// file in memory if the engine shares its buffers with a device in another process. The MappedMemory object owns it. A
// segment, which has a system-wide name, loses it at once, so a killed job leaves nothing behind. Source: mmap(2),
// shmget(2), memfd_create(2), Documentation/admin-guide/mm/hugetlbpage.rst. Thread rule: one owner.
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
  // `bytes` of this kind, zeroed or with the file's content; for huge pages, a multiple of hugepage-size. shared: a
  // file in memory, with huge pages if enough exist, for every kind.
  static base::Expected<MappedMemory> make(const job::fields::BufferMemory& kind, std::size_t bytes, bool shared);
  MappedMemory(MappedMemory&& other) noexcept;
  MappedMemory& operator=(MappedMemory&& other) noexcept;
  ~MappedMemory();

  std::byte* data() const { return data_; }
  int fd() const { return fd_.get(); }  // of the file that shared memory maps; -1: none

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
