// sync, psync, mmap and all other engines with one call per I/O: one request, finished when do_one() returns. All share
// one class over their function pointers: a system call costs far more than the indirect call, so separate classes
// would gain nothing. mmap: an I/O error of the device raises SIGBUS, and becomes EIO of that I/O.
#pragma once
#include "engine/syscall_call.h"

namespace fathom::engine {

class SyscallEngine {
 public:
  explicit SyscallEngine(const Calls& calls) : do_io_(calls.do_io), calls_(calls) {}
  SyscallEngine(const SyscallEngine&) = delete;
  SyscallEngine& operator=(const SyscallEngine&) = delete;
  ~SyscallEngine() { close(); }

  // io: mmap failed.
  base::Expected<void> open(const Setup& setup);
  std::int32_t do_one(const io::Request& request, std::byte* buffer) { return do_io_(context_, request, buffer); }
  base::Expected<void> begin();
  void close();

 private:
  const DoIo do_io_;
  CallContext context_;
  const Calls& calls_;
  bool open_ = false;
};

}  // namespace fathom::engine
