// The handler of SIGBUS. It passes faults outside the watched mappings to the previous handler.
#include "engine/file/mapped_faults.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace fathom::engine::file {
namespace {

thread_local constinit CallContext* t_watched = nullptr;
struct sigaction g_before;
std::uintptr_t g_page_bytes = 4096;

std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

bool holds(const Mapping& m, std::uintptr_t at) {
  return m.data != nullptr && at >= address(m.data) && at - address(m.data) < m.length;
}

bool replace_page(const CallContext& context, std::uintptr_t at) {
  const bool ours =
      std::any_of(context.mappings.begin(), context.mappings.end(), [&](const auto& m) { return holds(m, at); });
  if (!ours) return false;
  void* const page = reinterpret_cast<void*>(at & ~(g_page_bytes - 1));
  return ::mmap(page, g_page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page;
}

void on_missing_page(int signal, siginfo_t* info, void*) {
  const int saved = errno;
  const bool of_a_page = info->si_code > 0;
  if (of_a_page && t_watched != nullptr && replace_page(*t_watched, address(info->si_addr))) {
    t_watched->after_copy |= kPageMissing;
  } else {
    ::sigaction(SIGBUS, &g_before, nullptr);
    if (!of_a_page) ::raise(signal);
  }
  errno = saved;
}

bool install() {
  g_page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = on_missing_page;
  action.sa_flags = SA_SIGINFO;
  return ::sigaction(SIGBUS, &action, &g_before) == 0;
}

// A worker that is a thread blocks all signals. A blocked SIGBUS from its own access would then end the program.
void let_through() {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGBUS);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

}  // namespace

void watch_faults(CallContext& context) {
  [[maybe_unused]] static const bool installed = install();
  let_through();
  t_watched = &context;
}

void forget_faults(const CallContext& context) {
  if (t_watched == &context) t_watched = nullptr;
}

void map_again(Mapping& mapping, int fd, std::byte* data, std::size_t length) {
  const std::size_t from = static_cast<std::size_t>(data - mapping.data) & ~(g_page_bytes - 1);
  const std::size_t bytes = static_cast<std::size_t>(data - mapping.data) + length - from;
  std::byte* const page = mapping.data + from;
  if (::mmap(page, bytes, mapping.protection, MAP_SHARED | MAP_FIXED, fd,
             static_cast<off_t>(mapping.file_offset + from)) == MAP_FAILED)
    mapping.length = from;
}

}  // namespace fathom::engine::file
