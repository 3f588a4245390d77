// What the bare loops share. A bare loop makes the same system calls in the same batches as fathom's engine and keeps
// no statistics, so its rate is what the loop around the engine could reach at best; scripts/bench hotpath stands it
// beside fathom and fio. A loop counts its I/Os until a timer sets the flag that it is given.
#pragma once
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/prng.h"

namespace bare {

inline constexpr std::uint64_t kBlock = 4096;
inline volatile sig_atomic_t stop_flag = 0;

[[noreturn]] inline void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

inline double now_s(clockid_t clock = CLOCK_MONOTONIC) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

inline void set_timer(double seconds) {
  const auto us = static_cast<long>(seconds * 1e6);
  const itimerval once{{0, 0}, {us / 1000000, us % 1000000}};
  stop_flag = 0;
  if (setitimer(ITIMER_REAL, &once, nullptr) != 0) fail("setitimer");
}

// Runs the loop for a third of a second unmeasured, then for `seconds`; prints its rate and the share of a CPU that it
// was given meanwhile.
template <class Loop>
int measure(double seconds, Loop&& loop) {
  struct sigaction action {};
  action.sa_handler = [](int) { stop_flag = 1; };
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  set_timer(0.3);
  loop(stop_flag);
  set_timer(seconds);
  const double begin = now_s(), cpu_begin = now_s(CLOCK_PROCESS_CPUTIME_ID);
  const std::uint64_t ios = loop(stop_flag);
  const double took = now_s() - begin, cpu = now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;
  std::printf("%.0f %.4f\n", static_cast<double>(ios) / took, cpu / took);
  return 0;
}

struct File {
  int fd;
  std::uint64_t blocks;
  explicit File(const char* path) : fd(::open(path, O_RDONLY)) {
    struct stat facts {};
    if (fd < 0 || ::fstat(fd, &facts) != 0) fail(path);
    blocks = static_cast<std::uint64_t>(facts.st_size) / kBlock;
  }
};

inline char* buffers(std::uint64_t count) {
  void* memory = std::aligned_alloc(kBlock, count * kBlock);
  if (memory == nullptr) fail("buffers");
  std::memset(memory, 1, count * kBlock);
  return static_cast<char*>(memory);
}

}  // namespace bare
