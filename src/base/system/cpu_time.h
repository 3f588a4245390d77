// The CPU time of another process, or of a thread of this one, at an instant. Problem: /proc/PID/stat has steps of
// 10 ms, and getrusage(2) is for oneself and for children that have ended. Choice: the clock that every process and
// thread has (clock_getcpuclockid(3)), which counts ns of running, whatever the kernel's accounting of user and system
// time is. Of a thread it is exact. Of another process it is exact up to its last switch, wake-up or tick: one that
// never sleeps is behind by up to a tick (1 to 10 ms), one that does I/Os by less than one of them. Interrupts are
// charged to whom they interrupt, unless the kernel has CONFIG_IRQ_TIME_ACCOUNTING.
#pragma once
#include <cstdint>
#include <optional>

namespace fathom::base::system {

// tid: a thread of this process; 0: all threads of process pid, io_uring's workers among them. Nothing: it is gone.
std::optional<std::uint64_t> cpu_time_ns(int pid, int tid);

}  // namespace fathom::base::system
