// Who else did I/O while a run went on: read_bytes and write_bytes of every process (/proc/PID/io), begin to end. The
// run's own process and its children are left out. What a process that ended had done is found with the parent that
// waited for it, as the kernel adds it there; it is taken off again as far as it was done before the run. The looks in
// between are so far apart that they cost less than a 400th of one CPU; the first and the last, which hold up the run,
// stop after a few milliseconds: who was not looked at first is so half a second later, and at the end those come first
// that moved something or are new. Of who moves something, and of all while a disk of the run's discards, it is also
// looked which of the run's disks they have open. Reading other users' processes needs root. Source: kernel,
// Documentation/filesystems/proc.rst; wait_task_zombie() for what a parent inherits. Thread rule: one thread.
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
  std::size_t most_processes = 20000;  // more are not looked at
  double most_s = 0.002;               // of CPU, that the first and the last look may take
  std::size_t most_named = 16;
  std::vector<std::string> disks;   // of the run, and below them: whole disks, of which it is looked who has them open
  double cpu_share = 1.0 / 400;     // of one CPU, that full looks in between may take
  double quick_share = 1.0 / 1000;  // that looks at who is new or moves something may take besides
  double search_share = 1.0 / 200;  // that looking through all descriptors may take, while a disk discards
  double search_most_s = 0.02;      // of CPU, at a time
};

// Counts: source "others", subject "4711 dd" (those that moved most; "4711 [kworker/0:1]": a thread of the kernel's),
// "kernel threads" (of these the sum) and "all", names read_bytes and write_bytes; subjects "unreadable" and "looked
// at", name "processes": how many could not be read, or could; subject "hidden", name "pid_namespace" or "hidepid",
// where /proc does not show all. Source "open", subject as above, name a disk of the run, direction "write" where the
// disk itself was open for writing. Source "mount_point": who had the folder open where the disk is mounted, as fstrim
// has. Source "descriptors", name "looked": of whom it was looked what he had open.
std::unique_ptr<result::Witness> make_foreign_io_witness(ForeignIoOptions options = {});

}  // namespace fathom::host
