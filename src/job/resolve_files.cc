// Each check is of one option.
#include "job/resolve_files.h"

#include <fmt/format.h>

#include "io/engines.h"
#include "job/files.h"
#include "job/resolve.h"

namespace fathom::job {
namespace {

// Files that come and go under an engine that was told of them before the start.
base::Expected<void> check_openfiles(Draft& draft, const Assignment& section) {
  Job& job = draft.job;
  const auto& files = job.of<FileOptions>();
  if (files.openfiles == 0 || (files.opendir.empty() && files.openfiles >= job.nrfiles)) return {};
  const auto refuse = [&](const char* why, const char* help) {
    return error_for(draft, section, "openfiles", fmt::format("openfiles={} in a job of more files", files.openfiles),
                     why, help);
  };
  if (io::traits_of(job.ioengine).maps_files)
    return refuse("the engine maps all files before the start", "leave openfiles= out, or take another ioengine=");
  const auto* registers = draft.find("registerfiles");
  const auto* polls = draft.find("sqthread_poll");
  if ((registers != nullptr && registers->value != "0") || (polls != nullptr && polls->value != "0"))
    return refuse("registered files are all open before the start (sqthread_poll registers them)",
                  "leave openfiles= or registerfiles= out");
  if (job.verify)
    return refuse("what is read back is read in the order of the writes, of any file",
                  "leave openfiles= or verify= out");
  job.iodepth_batch = 1;
  return {};
}

}  // namespace

base::Expected<void> resolve_files(Draft& draft, const Assignment& section) {
  Job& job = draft.job;
  const auto& files = job.of<FileOptions>();
  if (files.fill_device && !job.size.set && job.mode.random && job.mode.writes)
    return error_for(draft, section, "fill_device", "fill_device of a random job needs size=",
                     "which blocks there are is not known before there is no space left",
                     "write `rw=write`, or give size=");
  const auto& engine = io::traits_of(job.ioengine);
  if (files.range_sync_every != 0 && (engine.passes_commands || engine.threads_only))
    return error_for(draft, section, "sync_file_range", fmt::format("engine {} has no ranges to sync", job.ioengine),
                     "sync_file_range(2) is of files", "write `fsync=` or `fdatasync=`");
  return check_openfiles(draft, section);
}

}  // namespace fathom::job
