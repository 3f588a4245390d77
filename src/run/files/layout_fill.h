// Writes the content of a laid-out file, syncs it and drops it from the page cache. As in fio, the bytes are
// incompressible and new for each chunk, so that no two blocks are equal; or they are the content of the job's writes
// (workload/bytes/contents.h).
#pragma once
#include <atomic>
#include <functional>

#include "base/error.h"
#include "run/files/layout.h"
#include "workload/bytes/contents.h"

namespace fathom::run::files {

struct FillPlan {
  workload::bytes::Contents contents;
  bool until_full = false;  // no space left ends the fill without an error
  bool sync = true;         // call fsync(2), and drop the page cache
};

// Fills from t.size_now to t.size_needed. False: *stop was set before the end. The file then never ends with a hole
// that looks filled, also after an error. free: bytes free in the file system before, for the error text.
base::Expected<bool> fill_file(int fd, const PlannedTarget& t, std::uint64_t free, const FillPlan& fill,
                               LayoutProgress& progress, const LayoutListener& listener,
                               const std::atomic<std::uint32_t>& stop);

// The same for a file that only the job's engine can write (PlannedTarget::engine_file), by an engine of its own.
base::Expected<bool> fill_engine_file(const job::Job& job, const PlannedTarget& t, const FillPlan& fill,
                                      LayoutProgress& progress, const LayoutListener& listener,
                                      const std::atomic<std::uint32_t>& stop);

}  // namespace fathom::run::files
