// CPU time, waits for a CPU, faults and context switches of the calling thread between two moments.
#pragma once
#include <sys/resource.h>

#include <cstdint>
#include <optional>

#include "base/system/own_wait.h"
#include "base/time.h"
#include "run/records/record.h"

namespace fathom::run::records {

struct ThreadUsage {
  rusage used{};
  std::uint64_t at_ns = 0;
  std::optional<std::uint64_t> waited_ns;  // for a CPU
  static ThreadUsage now() {
    ThreadUsage u;
    ::getrusage(RUSAGE_THREAD, &u.used);
    base::system::OwnWait wait;
    wait.open();
    u.waited_ns = wait.now_ns();
    u.at_ns = base::monotonic_ns();
    return u;
  }
};

inline double seconds_between(const timeval& a, const timeval& b) {
  return static_cast<double>(b.tv_sec - a.tv_sec) + static_cast<double>(b.tv_usec - a.tv_usec) * 1e-6;
}

// Adds to the record's values; sets cpu_wall_s and cpu_wait_known.
inline void record_usage(WorkerRecord& record, const ThreadUsage& from, const ThreadUsage& to) {
  record.user_cpu_s += seconds_between(from.used.ru_utime, to.used.ru_utime);
  record.system_cpu_s += seconds_between(from.used.ru_stime, to.used.ru_stime);
  record.cpu_wall_s = static_cast<double>(to.at_ns - from.at_ns) * 1e-9;
  ++record.cpu_threads;
  record.cpu_wait_known = from.waited_ns && to.waited_ns;
  if (record.cpu_wait_known) record.cpu_wait_s += static_cast<double>(*to.waited_ns - *from.waited_ns) * 1e-9;
  record.ctx_switches +=
      static_cast<std::uint64_t>(to.used.ru_nvcsw + to.used.ru_nivcsw - from.used.ru_nvcsw - from.used.ru_nivcsw);
  record.major_faults += static_cast<std::uint64_t>(to.used.ru_majflt - from.used.ru_majflt);
  record.minor_faults += static_cast<std::uint64_t>(to.used.ru_minflt - from.used.ru_minflt);
}

}  // namespace fathom::run::records
