// The data that a worker passes to its engine's loop, and the types to find that loop. loops/ registers one function
// pointer per engine, which is called once.
#pragma once
#include <algorithm>
#include <atomic>
#include <functional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "clock/sources/calibration.h"
#include "engine/engine.h"
#include "io/target.h"
#include "job/fields/files.h"
#include "job/fields/offset_choice.h"
#include "job/fields/start.h"
#include "job/fields/submit.h"
#include "job/fields/think.h"
#include "job/job.h"
#include "run/checks/verification.h"
#include "run/files/open_places.h"
#include "run/files/targets.h"
#include "run/gates/gate.h"
#include "run/records/record.h"
#include "run/records/size_counter.h"
#include "run/records/stamp_log.h"
#include "run/watch/flow_share.h"
#include "run/watch/watches.h"
#include "split/recorder.h"
#include "workload/bytes/buffers.h"
#include "workload/bytes/contents.h"
#include "workload/source.h"

namespace fathom::run::loop {

// Members are initialized by name.
struct LoopContext {
  const job::Job& job;
  std::span<const io::Target> targets;
  workload::Source* source;  // requests of the measured phase, then of the read-back
  workload::bytes::Buffers buffers;
  records::WorkerRecord& record;
  const std::atomic<std::uint32_t>& stop;  // non-zero: stop submitting and drain; 2: leave at once
  clock::sources::Calibration calibration;
  workload::bytes::Refill* refill = nullptr;  // null: writes carry the content of their buffers, stamped
  std::function<void()> new_pass = [] {};     // before every pass but the first (loops, time_based)
  std::function<void()> at_end = [] {};       // after the last completion, inside the runtime: end_fsync
  std::uint32_t first_target = 0;             // index of targets[0] among the job's targets (depth_per_file)
  std::uint32_t job_index = 0;                // part of the seeds of further streams
  std::function<bool()> ready = {};           // the engine is open: report it and wait for the start; false: do not run
  checks::Verification* verification = nullptr;  // null: the job does not verify; otherwise `refill` is set
  std::function<int()> before_read_back = {};    // flushes written data from the cache to the device; errno or 0
  files::OpenPlaces* places = nullptr;     // openfiles= below the number of files: between all sources and the loop
  records::StampWriter* stamps = nullptr;  // null: single I/Os are not logged
  split::Recorder* split = nullptr;        // null: I/Os are not published to the BPF programs
  records::SizeCounter* sizes = nullptr;   // null: the job has one block size
  watch::Watches* watches = nullptr;       // null: no consumer of single I/Os
  watch::FlowTurn* flow = nullptr;         // null: the job belongs to no flow
  gates::Gate* gate = nullptr;             // null: every I/O is admitted at once
  std::atomic<std::uint64_t>* begun = nullptr;  // start of the first of a job's loops; null: the job has one loop
  io::TrimRanges* trim_ranges = nullptr;        // null: a trim has one range
  std::uint64_t (*reference_ns)() = nullptr;    // shows a jump of the job's clock; null: the kernel's clock
  // Set by an engine that can sync targets without a descriptor, for end_fsync: errno or 0. null: not used.
  std::function<int()>* sync_by_engine = nullptr;
  bool acts = false;                                                      // acts_after_each(job); the loop sets it
  bool tells() const { return stamps != nullptr || watches != nullptr; }  // reports single I/Os
};

inline engine::JobFacts job_facts(const LoopContext& context) {
  const auto& job = context.job;
  engine::JobFacts facts;
  facts.name = job.name;
  facts.subjob = static_cast<std::uint32_t>(job.subjob);
  facts.reads = job.mode.reads;
  facts.writes = job.mode.writes;
  facts.trims = job.mode.trims;
  facts.random = job.mode.random;
  facts.atomic = job.of<job::fields::FileOptions>().atomic;
  facts.dsync = job.replays;
  facts.runtime_ns = job.runtime_ns;
  facts.size_bytes = job.size.bytes;
  facts.block_bytes = static_cast<std::uint32_t>(std::min({job.bs_min[0], job.bs_min[1], job.bs_min[2]}));
  // A job that replays has the sizes of its trace.
  facts.largest_bytes = job.replays ? context.buffers.stride : files::largest_block(job);
  facts.filenames = job.filenames;
  facts.stop = &context.stop;
  facts.dropped_ios = &context.record.measured.dropped_ios;
  facts.refusal = context.record.refusal;
  facts.trim_ranges = context.trim_ranges;
  return facts;
}

// Whether the end of an I/O requires work in addition to its record.
inline bool acts_after_each(const job::Job& job) {
  const auto& think = job.of<job::fields::Think>();
  const bool thinks = job.thinktime_ns != 0 && (!think.by_issue || think.iotime_ns != 0);
  const bool zones = job.of<job::fields::ZonedDevice>().used;
  return thinks || think.cycles != 0 || job.of<job::fields::Start>().ramp_bytes != 0 || zones;
}

// Whether a job does more than issue one request after another. kInstrumented compiles that in.
inline bool is_instrumented(const LoopContext& context) {
  return context.job.paced() || context.job.thinktime_ns != 0 || context.refill != nullptr ||
         context.verification != nullptr || context.flow != nullptr || context.gate != nullptr || context.tells() ||
         acts_after_each(context.job) || context.job.of<job::fields::Submit>().serialize;
}

// Opens the engine, runs the whole job, drains, closes. An Error means that setup failed. The record contains failed
// I/Os.
using LoopFunction = base::Expected<void> (*)(LoopContext&);
using LoopFinder = LoopFunction (*)(std::string_view engine);

}  // namespace fathom::run::loop
