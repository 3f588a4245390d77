// A pipe that splice() moves pages through, one a worker. What an error leaves in it is thrown away with it.
#pragma once
#include "base/error.h"
#include "base/system/fd.h"

namespace fathom::engine::file {

struct SplicePipe {
  // What goes through at once: the capacity that a pipe has by itself (pipe(7)).
  static constexpr std::size_t kBytes = std::size_t{64} * 1024;
  base::system::UniqueFd out, in;  // read from, written to

  base::Expected<void> open();
  // Between user memory and the pipe, all of the bytes unless something fails: how many, or -errno. To memory the pipe
  // is read where the kernel refuses to vmsplice that way.
  long to_memory(std::byte* to, std::size_t bytes);
  long from_memory(const std::byte* from, std::size_t bytes);

 private:
  bool reads_ = false;
};

}  // namespace fathom::engine::file
