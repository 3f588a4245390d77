// For how long the calling thread has waited for a CPU in its life: the kernel's own count (sched_info.run_delay, the second number of
// /proc/thread-self/schedstat), which the programs read of it too, so that the two may be subtracted. A system call: for an I/O whose way back was
// that long, whose wait is known with it at once and does not hang on a next I/O, which may never come, or not be watched.
// Thread rule: of the thread that opened it, and used by no other.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/system/fd.h"

namespace fathom::base::system {

class OwnWait {
 public:
  void open() { file_.reset(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)); }
  // ns; nothing where there is no such file.
  std::optional<std::uint64_t> now_ns() const {
    char text[96];
    const auto got = file_ ? ::pread(file_.get(), text, sizeof text, 0) : -1;
    if (got <= 0) return std::nullopt;
    const char* end = text + got;
    const auto* at = static_cast<const char*>(std::memchr(text, ' ', static_cast<std::size_t>(got)));
    std::uint64_t ns = 0;
    if (at == nullptr || std::from_chars(at + 1, end, ns).ec != std::errc()) return std::nullopt;
    return ns;
  }

 private:
  UniqueFd file_;
};

}  // namespace fathom::base::system
