// The kernel's account of what a worker caused to be read from and written to storage: /proc/self/io of a forked worker
// (its kernel threads included), /proc/thread-self/io of one that is a thread. Read by the worker itself before its
// first and after its last I/O, never in the loop; it allocates nothing. Source: kernel,
// Documentation/filesystems/proc.rst ("/proc/<pid>/io"). Thread-safe.
#pragma once
#include <cstdint>
#include <string_view>

namespace fathom::run::records {

// All-zero is a valid record: nothing could be read.
struct ProcessIoCounts {
  bool readable;
  std::uint64_t rchar, wchar, read_bytes, write_bytes, cancelled_write_bytes;
};

ProcessIoCounts parse_process_io(std::string_view text);
ProcessIoCounts read_process_io(bool thread);
// What was counted in between; not readable where one of the two is not.
void add(ProcessIoCounts& into, const ProcessIoCounts& from);  // of another thread
ProcessIoCounts grown(const ProcessIoCounts& begin, const ProcessIoCounts& end);

}  // namespace fathom::run::records
