// The stack of a thread of the measurement: small, because it is locked and counted with the rest of the measurement's
// memory, and touched before the thread runs, so that it faults on none of it. Below it lies a page without access.
// What the C library puts at its top comes on top of what is asked for: the thread's own block and the thread-local
// variables of all that is loaded, of any size (ld.so's glibc.rtld.optional_static_tls, libraries of a preload).
// pthread_attr_setstack(3), sysconf(3). Thread rule: made and started by one thread; outlives the thread that runs on
// it.
#pragma once
#include <pthread.h>

#include <cstddef>
#include <span>

#include "base/error.h"

namespace fathom::paging::sources {

// What the C library takes of every thread's stack.
std::size_t stack_bytes_of_library();

class ThreadStack {
 public:
  // bytes: for the thread's own frames. A sanitizer's are larger: its builds get 1 MiB.
  explicit ThreadStack(std::size_t bytes);
  ThreadStack(const ThreadStack&) = delete;
  ThreadStack& operator=(const ThreadStack&) = delete;
  ~ThreadStack();

  // Errors: io. Once; afterwards thread is to be joined before the stack goes.
  base::Expected<void> start(pthread_t& thread, void* (*body)(void*), void* argument);
  // Frames and the library's part, whole pages. What a library wants to have below them (128 KiB on aarch64) is only
  // reserved.
  std::span<const std::byte> memory() const;

 private:
  base::Expected<void> map();

  std::size_t used_bytes_, mapped_bytes_;
  std::byte* lowest_ = nullptr;  // of what is mapped, above the guard
};

}  // namespace fathom::paging::sources
