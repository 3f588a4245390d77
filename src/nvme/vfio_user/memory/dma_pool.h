// Memory shared with the server. It must be in a file that the socket can transfer, so it comes from memfds: huge
// pages if some are free, otherwise ordinary pages. Rings, PRP lists and buffers are cut from chunks of 2 MiB, because
// a server accepts a limited number of regions (each is a mapping there). This class chooses the I/O virtual addresses,
// from low addresses up.
//
// Not thread-safe (Transport holds the lock). If the connection is lost, the memory stays valid on this side.
#pragma once
#include <list>
#include <map>
#include <string>

#include "base/error.h"
#include "base/system/fd.h"
#include "nvme/transport.h"
#include "nvme/vfio/iova_allocator.h"
#include "nvme/vfio_user/connection.h"

namespace fathom::nvme::vfio_user::memory {

class DmaPool {
 public:
  explicit DmaPool(Connection& connection);
  ~DmaPool();
  DmaPool(const DmaPool&) = delete;
  DmaPool& operator=(const DmaPool&) = delete;

  base::Expected<DmaMemory> allocate(std::size_t bytes);  // whole pages, zeroed
  void release(const DmaMemory& memory);
  // ErrorKind::usage: memory without a file descriptor, or not in whole pages.
  base::Expected<std::uint64_t> map(const HostMemory& memory);
  void unmap(const HostMemory& memory);
  const std::string& shortcoming() const { return shortcoming_; }  // why there are no huge pages; empty: there are

 private:
  struct Chunk {
    base::system::UniqueFd file;
    std::byte* memory;
    std::size_t bytes;
    std::uint64_t iova;
    vfio::IovaAllocator parts;  // allocates within the chunk's IOVAs
  };
  base::Expected<void> add_chunk(std::size_t bytes);
  void drop(std::list<Chunk>::iterator chunk);
  base::Expected<std::uint64_t> share(int fd, std::uint64_t offset, std::uint64_t bytes);
  void unshare(std::uint64_t iova, std::uint64_t bytes);

  Connection& connection_;
  vfio::IovaAllocator iovas_;
  std::list<Chunk> chunks_;
  std::map<std::byte*, DmaMemory> mapped_;  // by memory
  std::string shortcoming_;
};

}  // namespace fathom::nvme::vfio_user::memory
