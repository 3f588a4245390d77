// sync, psync, mmap and all others that make a call an I/O: one request, over when do_one() returns. One class over an engine's function pointers,
// because the system call is so much dearer than the indirect call that a class an engine would buy nothing. mmap: an
// I/O error of the device arrives as SIGBUS, and is an EIO of that I/O.
#pragma once
#include "engine/syscall_call.h"

namespace fathom::engine {

class SyscallEngine {
 public:
  explicit SyscallEngine(const Calls& calls) : do_io_(calls.do_io), calls_(calls) {}
  SyscallEngine(const SyscallEngine&) = delete;
  SyscallEngine& operator=(const SyscallEngine&) = delete;
  ~SyscallEngine() { close(); }

  // io: mmap refused.
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
