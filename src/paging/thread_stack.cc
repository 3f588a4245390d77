// mmap, a guard, a touch of each page.
#include "paging/thread_stack.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "paging/thread_record.h"

namespace fathom::paging {
namespace {

#if defined(__has_feature)
#define FATHOM_HAS(feature) __has_feature(feature)
#else
#define FATHOM_HAS(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || FATHOM_HAS(address_sanitizer) || \
    FATHOM_HAS(thread_sanitizer)
constexpr std::size_t kLeastBytes = 1 << 20;
#else
constexpr std::size_t kLeastBytes = 0;
#endif
#undef FATHOM_HAS

}  // namespace

ThreadStack::ThreadStack(std::size_t bytes) : bytes_(std::max(bytes, kLeastBytes)) {}

ThreadStack::~ThreadStack() {
  if (lowest_ != nullptr) ::munmap(lowest_ - kPage, bytes_ + kPage);
}

base::Expected<void> ThreadStack::map() {
  void* const at =
      ::mmap(nullptr, bytes_ + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (at == MAP_FAILED) return base::system_error("mmap of a thread's stack", errno);
  ::mprotect(at, kPage, PROT_NONE);
  lowest_ = static_cast<std::byte*>(at) + kPage;
  for (std::size_t page = 0; page < bytes_; page += kPage)
    static_cast<volatile std::byte&>(lowest_[page]) = std::byte{0};
  return {};
}

base::Expected<void> ThreadStack::start(pthread_t& thread, void* (*body)(void*), void* argument) {
  if (auto mapped = map(); !mapped) return mapped;
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstack(&attributes, lowest_, bytes_);
  const int failed = ::pthread_create(&thread, &attributes, body, argument);
  ::pthread_attr_destroy(&attributes);
  if (failed != 0) return base::system_error("pthread_create", failed);
  return {};
}

}  // namespace fathom::paging
