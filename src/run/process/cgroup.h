// cgroup=: the groups of a run's jobs. The parent makes them and removes those it made; a worker goes into its own. They
// lie under the first mount of the blkio controller (version 1) or of version 2, whichever /proc/mounts names first, as
// with fio. cgroup_weight= is blkio.weight; in version 2, where fio refuses it, io.bfq.weight and io.weight, whichever
// the kernel shows there.
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
// Of the text of /proc/mounts. Pure.
std::optional<CgroupMount> find_cgroup_mount(std::string_view mounts);

class Cgroups {
 public:
  Cgroups() = default;
  Cgroups(const Cgroups&) = delete;
  Cgroups& operator=(const Cgroups&) = delete;
  ~Cgroups();  // removes what it made, but for those of cgroup_nodelete

  // The job's group is there and has its weight. Errors: io, with what the kernel says.
  base::Expected<void> prepare(const job::Job& job);

 private:
  std::vector<std::string> made_;
  std::string home_;  // version 2 takes a thread's whole process along: where this one was before
};

// In the worker: its process, or of a thread that alone where the version can.
base::Expected<void> enter_cgroup(const job::Job& job);

}  // namespace fathom::run::process
