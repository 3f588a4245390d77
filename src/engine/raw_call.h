// A bare system call. libc's pread and similar functions are cancellation points. In a program with threads, each adds
// two atomic operations per call, which is program time, not I/O time.
#pragma once
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace fathom::engine {

// Returns the result, or -errno.
inline long raw_call(long number, long a, long b, long c, long d = 0, long e = 0, long f = 0) {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#else
  const long result = ::syscall(number, a, b, c, d, e, f);
  return result < 0 ? -errno : result;
#endif
}

inline long as_argument(const void* pointer) { return reinterpret_cast<long>(pointer); }

}  // namespace fathom::engine
