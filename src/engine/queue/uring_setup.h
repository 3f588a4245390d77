// Setting up an io_uring: what the engines over it share. Asks for the newest features, gives up one after the other on
// an older kernel and says which. Cold; any thread.
#pragma once
#include <liburing.h>

#include <string>
#include <vector>

#include "engine/engine.h"

namespace fathom::engine::queue {

// nowait=, uncached= as flags of a request.
int rw_flags_of(const io::EngineOptions& options);

// force_async=N: which requests a thread of the kernel's begins. 1 is all of them, and a constant flag.
class AsyncCadence {
 public:
  AsyncCadence() = default;
  explicit AsyncCadence(std::uint32_t every) : every_(every), left_(every) {}
  bool all() const { return every_ == 1; }
  bool some() const { return every_ > 1; }
  bool next() {
    if (every_ < 2 || --left_ != 0) return false;
    left_ = every_;
    return true;
  }

 private:
  std::uint32_t every_ = 0, left_ = 0;
};

// extra_flags: IORING_SETUP_* that the engine cannot do without. On success `ring` is set up and `params` are the
// kernel's; what was given up is added to `fallbacks`.
base::Expected<void> set_up_ring(const Setup& setup, unsigned extra_flags, io_uring& ring, io_uring_params& params,
                                 std::vector<std::string>& fallbacks);

// fixedbufs=1: the job's buffers, one a slot.
base::Expected<void> register_buffers(const Setup& setup, io_uring& ring);
// registerfiles=1, or a polling thread, which fio takes to imply it: `fds` become indices. True when it was asked for.
base::Expected<bool> register_files(const Setup& setup, io_uring& ring, std::vector<int>& fds);

// The descriptor and flags of io_uring_enter.
struct EnterBy {
  int fd = -1;
  unsigned flags = 0;
};
EnterBy register_ring(io_uring& ring, std::vector<std::string>& fallbacks);

}  // namespace fathom::engine::queue
