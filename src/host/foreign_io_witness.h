// I/O of other processes during a run: read_bytes and write_bytes of every process (/proc/PID/io), from begin to end.
// It excludes the run's own process and its children. The kernel adds the I/O of an ended process to the parent that
// waited for it; the part from before the run is subtracted again. Scans during the run are spaced to cost less than
// 1/400 of one CPU. The first and the last scan delay the run, so they stop after a few milliseconds. Processes that
// the first scan did not reach are read half a second later; the last one begins with processes that did I/O or are
// new. It also checks which of the run's disks a process has open: for processes that moved 64 KiB or more, and for all
// processes while a disk of the run discards. Reading other users' processes needs root. Source: kernel,
// Documentation/filesystems/proc.rst; wait_task_zombie() for the inheritance. Thread rule: one thread.
#pragma once
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "result/witness.h"

namespace fathom::host {

struct ForeignIoOptions {
  std::string prefix;                  // before /proc, for tests
  pid_t own = 0;                       // 0: this process
  std::size_t most_processes = 20000;  // with more processes the scan fails
  double most_s = 0.002;               // CPU time limit of the first and the last scan
  std::size_t most_named = 16;
  // whole disks of the run, and below them: the witness checks which processes have them open
  std::vector<std::string> disks;
  double cpu_share = 1.0 / 400;     // of one CPU, for full scans during the run
  double quick_share = 1.0 / 1000;  // in addition, for scans of new and active processes
  double search_share = 1.0 / 200;  // for searching all descriptors, while a disk discards
  double search_most_s = 0.02;      // of CPU time, per search
};

// Counts with source "others": subject "4711 dd" (the processes with the most I/O; "4711 [kworker/0:1]": a kernel
// thread), "kernel threads" (their sum) and "all"; names read_bytes and write_bytes. Subjects "unreadable" and "looked
// at", name "processes": the number that could not, or could, be read. Subject "hidden", name "pid_namespace" or
// "hidepid": /proc does not show all. Source "open": subject as above, name a disk of the run, direction "write" if the
// disk itself was open for writing. Source "mount_point": the process had the disk's mount directory open, as fstrim
// does. Source "descriptors", name "looked": the process's descriptors were checked.
std::unique_ptr<result::Witness> make_foreign_io_witness(ForeignIoOptions options = {});

}  // namespace fathom::host
