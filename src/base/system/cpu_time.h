// The CPU time of another process, or of a thread of this one, at an instant. Problem: /proc/PID/stat has steps of 10
// ms, and getrusage(2) covers only the caller and its ended children. Choice: the CPU clock of each process and thread
// (clock_getcpuclockid(3)). It counts ns of running, independent of the kernel's accounting of user and system time. It
// is exact for a thread. For another process it is exact up to its last switch, wake-up or tick: a process that never
// sleeps is behind by up to a tick (1 to 10 ms), one that does I/Os by less than one I/O. The kernel charges interrupts
// to the interrupted task, unless it has CONFIG_IRQ_TIME_ACCOUNTING.
#pragma once
#include <cstdint>
#include <optional>

namespace fathom::base::system {

// tid: a thread of this process; 0: all threads of process pid, including io_uring's workers. nullopt: it has ended.
std::optional<std::uint64_t> cpu_time_ns(int pid, int tid);

}  // namespace fathom::base::system
