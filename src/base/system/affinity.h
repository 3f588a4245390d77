// CPU affinity of threads. The masks are as large as their highest CPU requires. glibc's cpu_set_t ends at 1,024 CPUs
// and silently drops the others (CPU_SET(3), "Dynamically sized CPU sets"). Source: sched_setaffinity(2),
// sched_getaffinity(2). Errors are errno values, 0: none; the caller interprets them. Thread rule: any thread, for
// itself or for the named thread.
#pragma once
#include <pthread.h>

#include <span>
#include <vector>

namespace fathom::base::system {

// The mask for the kernel: bit n of the array of words is CPU n. Pure.
std::vector<unsigned long> affinity_mask(std::span<const int> cpus);

// CPUs of the calling thread in rising order. Empty: unknown, the kernel call failed.
std::vector<int> allowed_cpus();

// EINVAL: none of the CPUs exists or may be used. If only some of them are unusable, the kernel ignores those.
int run_on(std::span<const int> cpus);
int run_on(std::span<const int> cpus, pthread_t thread);
inline int run_on(int cpu) { return run_on(std::span(&cpu, 1)); }

// Keeps the calling thread on its current CPU while the object lives; the destructor restores the previous mask. No
// effect if the kernel refuses.
class StayOnThisCpu {
 public:
  StayOnThisCpu();
  ~StayOnThisCpu();
  StayOnThisCpu(const StayOnThisCpu&) = delete;
  StayOnThisCpu& operator=(const StayOnThisCpu&) = delete;

 private:
  std::vector<int> before_;  // empty: nothing was changed
};

}  // namespace fathom::base::system
