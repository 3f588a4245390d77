// A pipe through which splice() moves pages, one per worker. After an error, the caller opens a fresh pipe, which drops
// the remaining bytes.
#pragma once
#include "base/error.h"
#include "base/system/fd.h"

namespace fathom::engine::file {

struct SplicePipe {
  // Bytes moved at a time: the default capacity of a pipe (pipe(7)).
  static constexpr std::size_t kBytes = std::size_t{64} * 1024;
  base::system::UniqueFd out, in;  // read from, written to

  base::Expected<void> open();
  // Moves bytes between user memory and the pipe. Returns the number moved, or -errno. to_memory() moves all bytes
  // unless an error occurs; where the kernel refuses vmsplice in this direction, it reads the pipe. from_memory() may
  // move fewer: an unaligned buffer needs one page more than the pipe may have.
  long to_memory(std::byte* to, std::size_t bytes);
  long from_memory(const std::byte* from, std::size_t bytes);

 private:
  bool reads_ = false;
};

}  // namespace fathom::engine::file
