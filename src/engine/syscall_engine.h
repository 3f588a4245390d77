// sync, psync, pvsync2 and mmap: one request, over when do_one() returns. One class, and one function pointer chosen
// at open by Setup::name, because the system call is so much dearer than the indirect call that a class an engine would
// buy nothing. mmap: an I/O error of the device arrives as SIGBUS, and is an EIO of that I/O.
#pragma once
#include "engine/syscall_call.h"

namespace fathom::engine {

class SyscallEngine {
 public:
  SyscallEngine() = default;
  SyscallEngine(const SyscallEngine&) = delete;
  SyscallEngine& operator=(const SyscallEngine&) = delete;
  ~SyscallEngine() { close(); }

  // usage: the name is no engine of this class. io: mmap refused.
  base::Expected<void> open(const Setup& setup);
  std::int32_t do_one(const io::Request& request, std::byte* buffer) { return do_io_(context_, request, buffer); }
  void close();

 private:
  DoIo do_io_ = nullptr;
  CallContext context_;
  const SyscallRow* row_ = nullptr;
};

}  // namespace fathom::engine
