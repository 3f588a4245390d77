// The stack of a thread of the measurement: small, because it is locked and counted with the rest of the measurement's
// memory, and touched before the thread runs, so that it faults on none of it. Below it lies a page without access.
// pthread_attr_setstack(3). Thread rule: made and started by one thread; outlives the thread that runs on it.
#pragma once
#include <pthread.h>

#include <cstddef>
#include <span>

#include "base/error.h"

namespace fathom::paging {

class ThreadStack {
 public:
  // bytes: whole pages. A sanitizer's frames are larger: its builds get 1 MiB.
  explicit ThreadStack(std::size_t bytes);
  ThreadStack(const ThreadStack&) = delete;
  ThreadStack& operator=(const ThreadStack&) = delete;
  ~ThreadStack();

  // Errors: io. Once; afterwards thread is to be joined before the stack goes.
  base::Expected<void> start(pthread_t& thread, void* (*body)(void*), void* argument);
  std::span<const std::byte> memory() const { return {lowest_, lowest_ == nullptr ? 0 : bytes_}; }

 private:
  base::Expected<void> map();

  std::size_t bytes_;
  std::byte* lowest_ = nullptr;
};

}  // namespace fathom::paging
