// Where the blocks are: one flat range of bytes for all namespaces, in memory that is not there until it is written, or
// in a regular file. What was never written holds bytes that do not compress (memory) or zeroes (a file). The ideal
// medium has no store at all. Not on the ideal path, so the call is virtual. Ranges are checked by the caller. Thread
// rule: one thread at a time (the controller's).
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
                    std::uint64_t bytes) = 0;  // reads as zeroes from now on, space given back
  virtual bool flush() = 0;
  virtual bool fresh() const { return true; }  // it held nothing when it was opened
};

// nullptr for Media::ideal. ErrorKind::io: no memory, or the file cannot be opened; usage: not a regular file, or
// another controller has it.
base::Expected<std::unique_ptr<Store>> make_store(const Options& options);

}  // namespace fathom::nvme::soft::memory
