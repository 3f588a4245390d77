// Set-up of an io_uring, shared by the engines that use one. It requests the newest features. On an older kernel it
// drops one after the other, and reports which. Cold; any thread.
#pragma once
#include <liburing.h>

#include <string>
#include <vector>

#include "engine/engine.h"

namespace fathom::engine::queue {

// Request flags of nowait= and uncached=.
int rw_flags_of(const io::EngineOptions& options);

// force_async=N: which requests start on a kernel thread. 1: all of them, as a constant flag.
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

// extra_flags: IORING_SETUP_* that the engine requires. On success `ring` is set up and `params` are the kernel's.
// Dropped features are added to `fallbacks`.
base::Expected<void> set_up_ring(const Setup& setup, unsigned extra_flags, io_uring& ring, io_uring_params& params,
                                 std::vector<std::string>& fallbacks);

// fixedbufs=1: registers the job's buffers, one per slot.
base::Expected<void> register_buffers(const Setup& setup, io_uring& ring);
// registerfiles=1, or a polling thread, which implies it in fio: `fds` become indices. True if requested.
base::Expected<bool> register_files(const Setup& setup, io_uring& ring, std::vector<int>& fds);

// Descriptor and flags for io_uring_enter.
struct EnterBy {
  int fd = -1;
  unsigned flags = 0;
};
EnterBy register_ring(io_uring& ring, std::vector<std::string>& fallbacks);

}  // namespace fathom::engine::queue
