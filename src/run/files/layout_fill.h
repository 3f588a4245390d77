// What a laid-out file holds, written, synced and dropped from the page cache: as fio bytes that do not compress, made
// anew for each chunk, so that no two blocks are alike; or what the job's writes are to carry (workload/bytes/contents.h).
#pragma once
#include <atomic>
#include <functional>

#include "base/error.h"
#include "run/files/layout.h"
#include "workload/bytes/contents.h"

namespace fathom::run::files {

struct FillPlan {
  workload::bytes::Contents contents;
  bool until_full = false;  // no space left is the end, and no error
  bool sync = true;         // fsync(2), and out of the page cache
};

// From t.size_now to t.size_needed. False: *stop was set before the end; the file, as after an error, never ends with a
// hole that looks as if it were filled. free: what the file system had in bytes before, for the error's words.
base::Expected<bool> fill_file(int fd, const PlannedTarget& t, std::uint64_t free, const FillPlan& fill,
                               LayoutProgress& progress, const LayoutListener& listener,
                               const std::atomic<std::uint32_t>& stop);

}  // namespace fathom::run::files
