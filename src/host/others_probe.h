// Who else did I/O while a run went on: read_bytes and write_bytes of every process (/proc/PID/io), begin to end. The
// run's own process and its children are left out. What a process that ended had done is found with the parent that
// waited for it, as the kernel adds it there; it is taken off again as far as it was done before the run. The looks in
// between are so far apart that they cost less than a 400th of one CPU; the first and the last, which hold up the run,
// stop after a few milliseconds: who was not looked at first is so in between, and at the end those come first that
// moved something or are new. Reading other users' processes needs root.
// Source: kernel, Documentation/filesystems/proc.rst; wait_task_zombie() for what a parent inherits. Thread rule: one
// thread.
#pragma once
#include <sys/types.h>

#include <memory>
#include <string>

#include "result/probe.h"

namespace fathom::host {

struct OthersOptions {
  std::string prefix;                  // before /proc, for tests
  pid_t own = 0;                       // 0: this process
  std::size_t most_processes = 20000;  // more are not looked at
  double most_s = 0.002;               // that the first and the last look may take
  std::size_t most_named = 5;
  double cpu_share = 1.0 / 400;  // of one CPU, that looks in between may take
};

// Counts: source "others", subject "4711 dd" (those that moved most) and "all" (the sum), names read_bytes and
// write_bytes; subjects "unreadable" and "looked at", name "processes": how many could not be read, or could.
std::unique_ptr<result::Probe> make_others_probe(OthersOptions options = {});

}  // namespace fathom::host
