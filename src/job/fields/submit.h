// io_submit_mode=, serialize_overlap=, lockfile=: which threads submit a job's I/Os, and which may be in flight
// together.
#pragma once
#include "job/job.h"

namespace fathom::job::fields {

enum class FileLock : std::uint8_t { none, exclusive, readwrite };

struct Submit : OfJob {
  bool serialize = false;  // an I/O waits for overlapping ones of its job; offload: of all such jobs
  bool offload = false;    // iodepth threads perform the I/O, each one at a time
  FileLock lock = FileLock::none;
  // True if an I/O may have to wait for one of another job.
  bool claims() const { return lock != FileLock::none || (offload && serialize); }
};

}  // namespace fathom::job::fields
