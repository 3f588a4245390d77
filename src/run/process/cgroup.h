// cgroup=: the cgroups of a run's jobs. The parent creates them, and removes those it created. A worker enters its own.
// They are below the first mount of the blkio controller (version 1) or of version 2 in /proc/mounts, as with fio.
// cgroup_weight= sets blkio.weight. In version 2, where fio refuses it, it sets io.bfq.weight and io.weight, whichever
// the kernel provides.
// Source: cgroups(7), admin-guide/cgroup-v1/blkio-controller.rst, admin-guide/cgroup-v2.rst. Thread rule: one thread.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "job/job.h"
#include "run/files/targets.h"

namespace fathom::run::process {

struct CgroupMount {
  std::string folder;
  bool v2 = false;
};
// mounts: the text of /proc/mounts. nullopt: no such mount. Pure.
std::optional<CgroupMount> find_cgroup_mount(std::string_view mounts);

class Cgroups {
 public:
  Cgroups() = default;
  Cgroups(const Cgroups&) = delete;
  Cgroups& operator=(const Cgroups&) = delete;
  ~Cgroups();  // removes the cgroups it created, except with cgroup_nodelete

  // Creates the job's cgroup if necessary, and sets its weight. Errors: io, with the kernel's error.
  base::Expected<void> prepare(const job::Job& job);

 private:
  std::vector<std::string> made_;
  std::string home_;  // version 2 moves a thread's whole process: the previous cgroup of this one
};

// In the worker: moves its process; for a thread, only that thread if the version supports it (version 1).
base::Expected<void> enter_cgroup(const job::Job& job);

}  // namespace fathom::run::process
