// The handler may interrupt any code. It reads only a table of atomics, and calls only mmap, a plain system call. A
// slot is taken and released through its `begin`. A fault is always inside a mapping that its thread keeps alive. The
// slot of this mapping therefore cannot change under the handler. Other slots may change, and then do not match.
#include "nvme/vfio_user/memory/guarded_mapping.h"

#include <linux/magic.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

namespace fathom::nvme::vfio_user::memory {
namespace {

struct Slot {
  std::atomic<std::uintptr_t> begin{0};  // 0: free; 1: being initialized
  std::atomic<std::size_t> bytes{0};
  std::atomic<bool> faulted{false};
};
Slot slots[kGuardedMappingsMax];
std::atomic<std::size_t> slots_used{0};  // later slots have never been taken
std::atomic<std::uint64_t> faults_so_far{0};
struct sigaction previous;

bool replace_faulted(std::uintptr_t address) {
  const std::size_t used = slots_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    const auto begin = slots[i].begin.load(std::memory_order_acquire);
    const auto bytes = slots[i].bytes.load(std::memory_order_relaxed);
    if (begin <= 1 || address < begin || address - begin >= bytes) continue;
    const long mapped = ::syscall(SYS_mmap, begin, bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0L);
    slots[i].faulted.store(true, std::memory_order_release);
    faults_so_far.fetch_add(1, std::memory_order_release);
    return mapped == static_cast<long>(begin);
  }
  return false;
}

void on_sigbus(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const bool done = replace_faulted(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = saved_errno;
  if (done) return;
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(signal);
  ::sigaction(SIGBUS, &previous, nullptr);  // the access is repeated, and now ends the process
}

void install_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction ours {};
    ours.sa_sigaction = on_sigbus;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    ::sigaction(SIGBUS, &ours, &previous);
  });
}

// kGuardedMappingsMax: no slot is free.
std::size_t take_slot() {
  for (std::size_t i = 0; i < kGuardedMappingsMax; ++i) {
    std::uintptr_t free = 0;
    if (!slots[i].begin.compare_exchange_strong(free, 1, std::memory_order_acq_rel)) continue;
    auto used = slots_used.load(std::memory_order_relaxed);
    while (used < i + 1 && !slots_used.compare_exchange_weak(used, i + 1, std::memory_order_acq_rel)) {
    }
    return i;
  }
  return kGuardedMappingsMax;
}

// A part of a huge page can be neither unmapped nor replaced.
std::uint64_t in_whole_pages(int fd, std::uint64_t bytes) {
  struct statfs s;
  const std::uint64_t page =
      ::fstatfs(fd, &s) == 0 && s.f_type == HUGETLBFS_MAGIC ? static_cast<std::uint64_t>(s.f_bsize) : 4096;
  return (bytes + page - 1) / page * page;
}

base::Error refused(const char* cause, int err) {
  return {.kind = base::ErrorKind::usage,
          .what = "shared memory cannot be mapped",
          .cause = cause,
          .help = "",
          .place = {},
          .sys_errno = err};
}

}  // namespace

base::Expected<GuardedMapping> GuardedMapping::make(int fd, std::uint64_t offset, std::uint64_t bytes, int protection,
                                                    int flags) {
  struct stat s;
  if (::fstat(fd, &s) != 0) return base::system_error("shared memory: fstat", errno);
  if (!S_ISREG(s.st_mode)) return refused("the memory is not a file", EINVAL);
  const auto size = static_cast<std::uint64_t>(s.st_size);
  if (bytes == 0 || offset > size || bytes > size - offset)
    return refused("the file is shorter than the mapping", EINVAL);
  const std::uint64_t mapped_bytes = in_whole_pages(fd, bytes);
  install_once();
  const auto slot = take_slot();
  if (slot == kGuardedMappingsMax) return refused("too many mappings exist", ENOSPC);
  void* memory = ::mmap(nullptr, mapped_bytes, protection, flags, fd, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) {
    const int err = errno;
    slots[slot].begin.store(0, std::memory_order_release);
    return base::system_error("shared memory: mmap", err);
  }
  slots[slot].faulted.store(false, std::memory_order_relaxed);
  slots[slot].bytes.store(mapped_bytes, std::memory_order_relaxed);
  slots[slot].begin.store(reinterpret_cast<std::uintptr_t>(memory), std::memory_order_release);
  GuardedMapping mapping;
  mapping.memory_ = static_cast<std::byte*>(memory);
  mapping.bytes_ = bytes;
  mapping.mapped_bytes_ = mapped_bytes;
  mapping.slot_ = slot;
  return mapping;
}

GuardedMapping::GuardedMapping(GuardedMapping&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      mapped_bytes_(other.mapped_bytes_),
      slot_(other.slot_) {}

GuardedMapping& GuardedMapping::operator=(GuardedMapping&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  std::swap(slot_, other.slot_);
  return *this;
}

GuardedMapping::~GuardedMapping() {
  if (memory_ == nullptr) return;
  ::munmap(memory_, mapped_bytes_);
  slots[slot_].begin.store(0, std::memory_order_release);
}

bool GuardedMapping::faulted() const {
  return memory_ != nullptr && slots[slot_].faulted.load(std::memory_order_acquire);
}

std::uint64_t GuardedMapping::faults() { return faults_so_far.load(std::memory_order_acquire); }

}  // namespace fathom::nvme::vfio_user::memory
