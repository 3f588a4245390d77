// Opens a job's targets in the worker that uses them, with the flags of the job, and drops their page cache
// (invalidate=1).
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
// Opens one target. files: number of files of the job, for the error about too many open files.
base::Expected<base::system::UniqueFd> open_target(const job::Job& job, const PlannedTarget& target, std::size_t files);

// Explains the errno of a failed open(). files: number of files of the job.
base::Error cannot_open(const job::Job& job, const std::string& path, std::size_t files, int err);

// Opens and closes each target once, so that an error is reported before any worker starts.
base::Expected<void> probe_targets(const Plan& plan, const DescriptorLook& look);
// For a job that writes: checks that the caller still allows writing to every descriptor.
base::Expected<void> look_before_writing(const Plan& plan, const OpenTargets& open, const DescriptorLook& look);

// invalidate=1 applies to every pass over the files, not only to the first.
void drop_caches(const Plan& plan, const OpenTargets& open);
// end_fsync=1. Returns the first errno, or 0.
int sync_targets(const OpenTargets& open);
// end_syncfs=1, once per file system. Returns the first errno, or 0.
int sync_file_systems(const OpenTargets& open);
// unlink_each_loop=1: creates a new file under each name and opens it under the same descriptor number. I/Os in flight
// go to the old file.
base::Expected<void> begin_again(const Plan& plan, const OpenTargets& open);
// unlink=1. Does nothing for a job that changes nothing (verify_only).
void unlink_targets(const Plan& plan);

}  // namespace fathom::run::files
