// The kernel's account of a worker's reads from and writes to storage: /proc/self/io of a forked worker (including its
// kernel threads), /proc/thread-self/io of a worker that is a thread. The worker reads it before its first and after
// its last I/O, never in the loop except to reread a wrong block (verify=). It allocates nothing. Source: kernel,
// Documentation/filesystems/proc.rst ("/proc/<pid>/io"). Thread-safe.
#pragma once
#include <cstdint>
#include <string_view>

namespace fathom::run::records {

// All-zero is a valid record: not readable.
struct ProcessIoCounts {
  bool readable;
  std::uint64_t rchar, wchar, read_bytes, write_bytes, cancelled_write_bytes;
};

ProcessIoCounts parse_process_io(std::string_view text);
ProcessIoCounts read_process_io(bool thread);
// grown(): the counts between two reads. The results are not readable if one of the two inputs is not.
void add(ProcessIoCounts& into, const ProcessIoCounts& from);  // from: of another thread
ProcessIoCounts grown(const ProcessIoCounts& begin, const ProcessIoCounts& end);

}  // namespace fathom::run::records
