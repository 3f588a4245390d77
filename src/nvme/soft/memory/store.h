// Storage of the blocks: one flat range of bytes for all namespaces, in a regular file or in memory that is allocated
// on first write. Blocks that were never written read as incompressible bytes (memory) or zeroes (a file).
// The ideal medium has no store. The calls are virtual, since they are not on the ideal path. The caller checks ranges.
// Thread rule: one thread at a time (the controller's).
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "base/error.h"
#include "nvme/soft/memory/prp.h"
#include "nvme/soft/options.h"

namespace fathom::nvme::soft::memory {

class Store {
 public:
  virtual ~Store() = default;
  // False: the medium failed.
  virtual bool read(std::uint64_t offset_bytes, std::span<const Segment> to) = 0;
  virtual bool write(std::uint64_t offset_bytes, std::span<const Segment> from) = 0;
  virtual bool zero(std::uint64_t offset_bytes,
                    std::uint64_t bytes) = 0;  // later reads return zeroes; frees the space
  virtual bool flush() = 0;
  virtual bool fresh() const { return true; }  // the store was empty when it was opened
};

// nullptr: Media::ideal. ErrorKind::io: no memory, or the file cannot be opened; usage: not a regular file, or
// another controller uses it.
base::Expected<std::unique_ptr<Store>> make_store(const Options& options);

}  // namespace fathom::nvme::soft::memory
