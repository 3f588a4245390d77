// The stack of a measurement thread. It is small, because it is locked and counted with the rest of the measurement's
// memory. It is touched before the thread runs, so the thread faults on none of it. An inaccessible page is below it.
// The C library's part at its top is added to the requested size: the thread's own block and the thread-local variables
// of all that is loaded, of any size (ld.so's glibc.rtld.optional_static_tls, libraries of a preload).
// pthread_attr_setstack(3), sysconf(3). Thread rule: made and started by one thread; outlives the thread that runs on
// it.
#pragma once
#include <pthread.h>

#include <cstddef>
#include <span>

#include "base/error.h"

namespace fathom::paging::sources {

// Bytes that the C library takes from every thread's stack.
std::size_t stack_bytes_of_library();

class ThreadStack {
 public:
  // bytes: for the thread's own frames. Sanitizers need larger frames: their builds get at least 1 MiB.
  explicit ThreadStack(std::size_t bytes);
  ThreadStack(const ThreadStack&) = delete;
  ThreadStack& operator=(const ThreadStack&) = delete;
  ~ThreadStack();

  // Errors: io. Call once; join the thread before the stack is destroyed.
  base::Expected<void> start(pthread_t& thread, void* (*body)(void*), void* argument);
  // Frames and the library's part, whole pages. Space that a library requires below them (128 KiB on aarch64) is only
  // reserved.
  std::span<const std::byte> memory() const;

 private:
  base::Expected<void> map();

  std::size_t used_bytes_, mapped_bytes_;
  std::byte* lowest_ = nullptr;  // of the mapping, above the guard
};

}  // namespace fathom::paging::sources
