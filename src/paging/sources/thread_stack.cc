// mmap, a guard page, and a touch of each page that is used.
#include "paging/sources/thread_stack.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/sanitized.h"
#include "paging/sources/thread_record.h"

namespace fathom::paging::sources {
namespace {

constexpr std::size_t kLeastBytes = base::kSanitized ? 1 << 20 : 0;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// PTHREAD_STACK_MIN if it is no constant: the minimum for pthread_attr_setstack().
std::size_t least_mapped() { return static_cast<std::size_t>(std::max(0L, ::sysconf(_SC_THREAD_STACK_MIN))); }

}  // namespace

// glibc shows it by a symbol that is not meant for linking: one page, this part, and PTHREAD_STACK_MIN. Without glibc
// it is 0: if the stack is small, musl gives thread-local variables separate memory.
std::size_t stack_bytes_of_library() {
  using MinStack = std::size_t (*)(const pthread_attr_t*);
  const auto min_stack = reinterpret_cast<MinStack>(::dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
  if (min_stack == nullptr) return 0;
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  const std::size_t all = min_stack(&attributes), others = least_mapped() + kPage;
  ::pthread_attr_destroy(&attributes);
  return all - std::min(all, others);
}

ThreadStack::ThreadStack(std::size_t bytes)
    : used_bytes_(whole_pages(std::max(bytes, kLeastBytes) + stack_bytes_of_library())),
      mapped_bytes_(std::max(used_bytes_, whole_pages(least_mapped()))) {}

ThreadStack::~ThreadStack() {
  if (lowest_ != nullptr) ::munmap(lowest_ - kPage, mapped_bytes_ + kPage);
}

std::span<const std::byte> ThreadStack::memory() const {
  if (lowest_ == nullptr) return {};
  return {lowest_ + mapped_bytes_ - used_bytes_, used_bytes_};
}

base::Expected<void> ThreadStack::map() {
  const std::size_t all = mapped_bytes_ + kPage;
  void* const at = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (at == MAP_FAILED) return base::system_error("mmap of a thread's stack", errno);
  if (::mprotect(at, kPage, PROT_NONE) != 0) {
    const int failed = errno;
    ::munmap(at, all);
    auto error = base::system_error("the guard page below a thread's stack", failed);
    if (failed == ENOMEM) error.help = "use fewer threads, or a larger vm.max_map_count";
    return error;
  }
  lowest_ = static_cast<std::byte*>(at) + kPage;
  std::byte* const used = lowest_ + mapped_bytes_ - used_bytes_;
  for (std::size_t page = 0; page < used_bytes_; page += kPage)
    static_cast<volatile std::byte&>(used[page]) = std::byte{0};
  return {};
}

base::Expected<void> ThreadStack::start(pthread_t& thread, void* (*body)(void*), void* argument) {
  if (auto mapped = map(); !mapped) return mapped;
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  int failed = ::pthread_attr_setstack(&attributes, lowest_, mapped_bytes_);
  if (failed == 0) failed = ::pthread_create(&thread, &attributes, body, argument);
  ::pthread_attr_destroy(&attributes);
  if (failed != 0) return base::system_error("pthread_create", failed);
  return {};
}

}  // namespace fathom::paging::sources
