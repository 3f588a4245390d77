// sync, psync, pvsync2 and mmap: one request in flight, done inside ring(). One class, and one function pointer chosen
// at open by Setup::name, because the system call is so much dearer than the indirect call that a class an engine would
// buy nothing. mmap: an I/O error of the device arrives as SIGBUS, as in fio.
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
  void post(std::uint32_t slot, const io::Request& request, std::byte* buffer) {
    request_ = request;
    buffer_ = buffer;
    done_.slot = slot;
    state_ = State::posted;
  }
  int ring() {
    if (state_ != State::posted) return 0;
    done_.result = do_io_(context_, request_, buffer_);
    state_ = State::done;
    return 1;
  }
  int reap(unsigned /*min*/, std::span<io::Completion> out) {
    if (state_ != State::done || out.empty()) return 0;
    out[0] = done_;
    state_ = State::idle;
    return 1;
  }
  void close();

 private:
  enum class State : std::uint8_t { idle, posted, done };
  DoIo do_io_ = nullptr;
  io::Request request_;
  std::byte* buffer_ = nullptr;
  io::Completion done_;
  State state_ = State::idle;
  CallContext context_;
  const SyscallRow* row_ = nullptr;
};

}  // namespace fathom::engine
