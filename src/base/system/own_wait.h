// The time that the calling thread has waited for a CPU since it started: the kernel's counter (sched_info.run_delay,
// the second number of /proc/thread-self/schedstat). The eBPF programs read the same counter, so the two values may be
// subtracted. A read is a system call, used for I/Os with a long completion path: their CPU wait is then known at once.
// It does not depend on a next I/O, which may never come or not be traced. Thread rule: only the thread that opened it.
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
  // In ns; nullopt: the file does not exist or cannot be read.
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
