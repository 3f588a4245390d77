// What a worker hands to its engine's loop, and how a loop is found: loops/ registers one function pointer an engine,
// called once.
#pragma once
#include <atomic>
#include <functional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "clock/calibration.h"
#include "engine/engine.h"
#include "io/target.h"
#include "job/job.h"
#include "run/record.h"
#include "run/size_counter.h"
#include "run/stamp_log.h"
#include "run/verification.h"
#include "workload/buffers.h"
#include "workload/source.h"

namespace fathom::run {

struct LoopContext {
  const job::Job& job;
  std::span<const io::Target> targets;
  workload::Source* source;  // of what is measured, then of what is read back
  workload::Buffers buffers;
  WorkerRecord& record;
  const std::atomic<std::uint32_t>& stop;  // non-zero: stop submitting and drain; 2: leave at once
  clock::Calibration calibration;
  workload::Refill* refill = nullptr;          // null: writes carry what their buffers have, stamped
  std::function<void()> new_pass;              // before every pass but the first (loops, time_based)
  std::function<void()> at_end;                // after the last completion, inside the runtime: end_fsync
  std::uint32_t first_target = 0;              // of `targets` among the job's (depth_per_file)
  std::uint32_t job_index = 0;                 // enters the seeds of further streams
  std::function<bool()> ready;                 // engine is open: report, wait for the start; false: do not run
  Verification* verification = nullptr;        // null: the job does not verify; else there is a refill
  std::function<int()> before_read_back = {};  // what was written goes to the device, out of the cache; errno or 0
  StampWriter* stamps = nullptr;               // null: single I/Os are not written down
  SizeCounter* sizes = nullptr;                // null: the job has one block size
};

// Opens the engine, runs the whole job, drains, closes. An Error is a set-up failure; failed I/Os are in the record.
using LoopFunction = base::Expected<void> (*)(LoopContext&);
using LoopFinder = LoopFunction (*)(std::string_view engine);

}  // namespace fathom::run
