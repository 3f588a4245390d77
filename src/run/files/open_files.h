// Opening a job's targets in the worker that uses them, with the flags that the job asks for, and dropping what the
// page cache holds of them (invalidate=1).
#pragma once
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"
#include "io/target.h"
#include "run/files/targets.h"

namespace fathom::run::files {

struct OpenTargets {
  std::vector<io::Target> targets;
  std::vector<base::system::UniqueFd> fds;
};

base::Expected<OpenTargets> open_targets(const Plan& plan);
// One of them; files: how many the job has, for what is said where there are too many.
base::Expected<base::system::UniqueFd> open_target(const job::Job& job, const PlannedTarget& target, std::size_t files);

// What the errno of an open() means; of a job with so many files.
base::Error cannot_open(const job::Job& job, const std::string& path, std::size_t files, int err);

// Opens and closes each target once: what a worker would be refused is told before any worker starts.
base::Expected<void> probe_targets(const Plan& plan, const DescriptorLook& look);
// Of a job that writes: whether every descriptor is still what the caller allowed to be written.
base::Expected<void> look_before_writing(const Plan& plan, const OpenTargets& open, const DescriptorLook& look);

// invalidate=1 holds for every pass over the files, not only the first.
void drop_caches(const Plan& plan, const OpenTargets& open);
// end_fsync=1. Returns the first errno, 0 if none.
int sync_targets(const OpenTargets& open);
// end_syncfs=1, once for each file system. Returns the first errno, 0 if none.
int sync_file_systems(const OpenTargets& open);
// unlink_each_loop=1: another file under each name, open under the number that it had; what is in flight goes to the
// old one.
base::Expected<void> begin_again(const Plan& plan, const OpenTargets& open);
// unlink=1; of a job that changes nothing (verify_only) none.
void unlink_targets(const Plan& plan);

}  // namespace fathom::run::files
