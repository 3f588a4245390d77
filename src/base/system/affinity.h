// Which CPUs a thread may run on. The masks are as large as the CPUs in them need: glibc's cpu_set_t ends at 1,024, and
// what lies beyond would be left out without a word (CPU_SET(3), "Dynamically sized CPU sets").
// Source: sched_setaffinity(2), sched_getaffinity(2). Errors are errno values, 0 for none: what they mean depends on
// who asks. Thread rule: any thread, about itself or about the one named.
#pragma once
#include <pthread.h>

#include <span>
#include <vector>

namespace fathom::base::system {

// What the kernel is handed: bit n of the row of words is CPU n. Pure.
std::vector<unsigned long> affinity_mask(std::span<const int> cpus);

// Rising; of the calling thread. Empty: the kernel does not tell.
std::vector<int> allowed_cpus();

// EINVAL: none of them exists or may be used; those of a list that do not are left out by the kernel.
int run_on(std::span<const int> cpus);
int run_on(std::span<const int> cpus, pthread_t thread);
inline int run_on(int cpu) { return run_on(std::span(&cpu, 1)); }

// While it lives the calling thread stays on the CPU where it is; then it may run where it might before. Where the
// kernel refuses, it has no effect.
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
