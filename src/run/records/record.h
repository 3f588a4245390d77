// The results of one worker, in memory shared with its parent (a job is a forked process by default), so that no
// measurement is lost when a worker dies. All-zero bytes are a valid, empty record. Pages are touched only when used: a
// thousand idle workers cost little. Thread rule: one writer (the worker). The parent reads counters while it runs
// (relaxed atomics), and the rest after it ended.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/sanitized.h"
#include "engine/userspace/queue_counts.h"
#include "io/request.h"
#include "result/verified.h"
#include "run/records/process_io.h"
#include "run/records/replay_record.h"
#include "stats/histogram.h"
#include "stats/moments.h"
#include "workload/places/size_classes.h"

namespace fathom::run::records {

// A counter with one writer: a plain load, add and store, never torn for a reader. On x86 this is one instruction,
// which compilers do not generate from the atomic load and store.
class Counter {
 public:
  [[gnu::always_inline]] void add(std::uint64_t n) {
#if defined(__x86_64__) && !FATHOM_TSAN
    asm("addq %1, %0" : "+m"(v_) : "er"(n) : "cc");
#else
    v_.store(v_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
#endif
  }
  void set(std::uint64_t n) { v_.store(n, std::memory_order_relaxed); }
  std::uint64_t get() const { return v_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> v_;
};

// The sums of one latency. Its histogram is stored separately. A completion then touches four neighboring cache lines
// for all sums of a direction, and one line per histogram.
struct LatencySums {
  stats::Moments moments;
  [[gnu::always_inline]] void add(stats::RawHistogram& counts, std::uint64_t ns) {
    moments.add(ns);
    counts.add(ns);
  }
  [[gnu::always_inline]] void add_many(stats::RawHistogram& counts, std::uint64_t ns, std::uint64_t times) {
    moments.add_many(ns, times);
    counts.add_many(ns, times);
  }
};

// Counts of each device of a job with a depth per device (depth_per_file). Devices beyond the last record share it.
struct alignas(64) DeviceRecord {
  Counter ios[4];
  std::uint64_t lat_ns_sum, lat_ns_max, lat_ns_min_inverted;
  [[gnu::always_inline]] void add(std::size_t dir, std::uint64_t times, std::uint64_t lat_ns) {
    ios[dir].add(times);
    lat_ns_sum += lat_ns * times;
    if (lat_ns > lat_ns_max) lat_ns_max = lat_ns;
    if (~lat_ns > lat_ns_min_inverted) lat_ns_min_inverted = ~lat_ns;
  }
};
inline constexpr std::size_t kDeviceRecords = 64;

// The latencies of one direction: completion path.
struct alignas(64) DirectionRecord {
  LatencySums clat, lat, slat;
  LatencySums intended, start_delay;  // paced jobs: from the intended start to completion, and to the issue
  stats::RawHistogram clat_counts, lat_counts, slat_counts;
  stats::RawHistogram intended_counts, start_delay_counts;
};

// cmdprio_*: reads and writes by priority number (io/cmdprio.h); 0: the job's own.
struct PriorityRecord {
  LatencySums sums;
  stats::RawHistogram counts;
};
inline constexpr std::size_t kPriorityRecords = 16;

// Counters of completion, by direction (the fourth, sync, only avoids a test): one cache line.
struct alignas(64) DoneCounts {
  Counter ios[4], bytes[4];
};

// How many I/Os shared one clock read, and the time that it stands for. Batches of one are not counted here but by one
// increment (Measured::alone, SubmitCounts::alone, ReapCounts::alone): their width is 0.
struct WidthRecord {
  std::uint64_t batches, ios, max_ios, sum_ns, max_ns;
  std::uint64_t buckets[7];  // fio's buckets of batch sizes
  [[gnu::always_inline]] void add(std::uint64_t n, std::size_t bucket, std::uint64_t ns) {
    ++batches;
    ios += n;
    if (n > max_ios) max_ios = n;
    sum_ns += ns;
    if (ns > max_ns) max_ns = ns;
    ++buckets[bucket];
  }
};

// Counters of submission. `issued` is by direction; `level` is fio's buckets of the depth at submission.
struct alignas(64) SubmitCounts {
  Counter issued[4];
  std::uint64_t alone;  // submitting calls that took one I/O
  std::uint64_t level[7];
  WidthRecord batches;  // the others
};

// Counters of reaping, in addition to DoneCounts.
struct alignas(64) ReapCounts {
  std::uint64_t alone;  // reaps that brought one I/O
  std::uint64_t empty;  // reaps without an I/O
  WidthRecord batches;  // the others
};

// One failed I/O or call, in fixed space: the worker may not allocate.
struct ErrorRecord {
  enum class Kind : std::uint8_t { plain, too_slow, too_few };  // too_few: the parent judged the job
  int err;
  Kind kind;
  io::Dir dir;
  bool is_io;           // offset and length are valid
  bool went_on;         // the job continued after it
  bool told_by_engine;  // `what` is the engine's explanation, in addition to the errno
  std::uint16_t target;
  std::uint64_t offset_bytes, length_bytes;
  char what[4096];  // what failed; for an I/O: details in addition to its errno; empty: see `told`
  void describe(const io::Request& request) {
    is_io = true;
    dir = request.dir;
    target = request.target;
    offset_bytes = request.offset;
    length_bytes = request.length;
  }
};
inline constexpr std::size_t kErrorRecords = 16;
inline constexpr std::size_t kToldBytes = 2048;

// block_error_percentiles: the last event of a block.
enum class BlockFate : std::uint32_t { untouched, trimmed, written, trim_failed, write_failed };
struct BlockRecord {
  BlockFate fate;
  std::uint32_t trims;  // successful
};
inline constexpr std::size_t kLifetimeBlocks = 8192;

// A failed I/O after which the job continued, and without an ErrorRecord: one is reserved for the error that ends the
// job.
struct PassedError {
  std::uint64_t offset_bytes, length_bytes;
  int err;
  std::uint16_t target;
  io::Dir dir;
};
inline constexpr std::size_t kPassedErrors = 4096;

enum class Phase : std::uint32_t { idle = 0, setup, ready, ramp, running, done };

// The measurements, which are cleared when the ramp ends. First the members that every I/O touches, by path; then the
// others.
struct Measured {
  DoneCounts done;
  SubmitCounts submit;
  ReapCounts reap;
  std::uint64_t alone;  // synchronous engines: calls, each a submission and a reap of one I/O at depth 1
  std::uint64_t late_ios;
  std::uint64_t clock_steps_back;
  Counter short_ios[4], error_ios[4];
  std::uint64_t dropped_ios;   // datagrams that did not arrive, for a job that receives
  std::uint64_t idle_ns;       // engines that poll: no completion, and nothing could be submitted
  std::uint64_t overslept_ns;  // waits of jobs that pause or are paced: too long by this much (run/loop/pause.h)
  Counter sync_ios;
  LatencySums sync_lat;
  stats::RawHistogram sync_counts;
  std::uint64_t size_ios[io::kDataDirs]
                        [workload::places::kMostSizeClasses + 1];  // issued, by declared size; the last: others
  DeviceRecord devices[kDeviceRecords];
  DirectionRecord dirs[io::kDataDirs];
};

struct WorkerRecord {
  std::atomic<std::uint32_t> phase;
  std::atomic<std::uint32_t> carried_in;  // in flight when the ramp's counts were cleared
  std::atomic<int> pid;
  std::atomic<int> tid;  // of a worker that is a thread; 0: a process
  int error;             // first errno that ended it; 0: no error
  int first_io_error;    // first errno of a failed I/O, even if the job continued after it
  std::uint64_t io_errors;
  std::uint64_t error_count;   // all
  std::uint64_t errors_kept;   // in `errors`
  std::uint64_t passed_count;  // failed I/Os after which the job continued, without a place in `errors`
  ErrorRecord errors[kErrorRecords];
  std::atomic<std::uint64_t> start_ns;   // measured part: CLOCK_MONOTONIC at its start
  std::uint64_t begun_ns;                // the job's start by CLOCK_MONOTONIC; 0: it did not start
  std::uint64_t elapsed_ns;              // measured part, by the job's own clock
  std::atomic<std::uint64_t> flying_ns;  // part of it until the last I/O completed; 0 until then. end_fsync comes after
  std::uint64_t read_back_ns;            // verify=: reading back what was written, after the measured part
  result::Verified verified;             // by verify=
  std::uint64_t dry_ios[io::kDataDirs];  // verify_only: generated, not issued
  std::uint64_t wrong_bytes;             // read and not in `done`: I/Os with wrong blocks, and second reads of these
  std::uint64_t job_ns;                  // ramp, drain and reading back included
  double user_cpu_s, system_cpu_s, cpu_wall_s;
  double cpu_wait_s;  // runnable, but without a CPU
  bool cpu_wait_known;
  std::uint32_t cpu_threads;  // number of threads in these times
  std::uint64_t ctx_switches, major_faults, minor_faults;
  bool interrupted;
  bool ended_in_ramp;
  std::uint32_t latency_depth;           // latency_target: the last depth found; 0: no depth
  Counter clat_sum_ns, clat_ios;         // to detect a steady state of latencies
  int prerun_status;                     // exec_prerun: 0: success or no command; otherwise the job was omitted
  bool without_map;                      // softrandommap: no memory for the random map
  bool work_done;                        // it ended because no work was left
  std::uint32_t lifetime_blocks;         // in `lifetimes`; 0: not requested by the job
  bool summed;                           // of several loops: their records have been summed
  bool by_priority;                      // `priorities` is used
  char note[4][120];                     // an engine's fallbacks, for findings
  char by_state[160];                    // verify_state_load: a summary of the state
  char stop_verify[80];                  // fio's line for the write at which fio would stop reading back
  engine::userspace::QueueCounts queue;  // queue_pairs 0: an engine without its own queues
  std::uint64_t zone_resets;             // zonemode=zbd: zones with data that the job reset
  std::uint64_t pre_read_bytes;          // by pre_read=1, through the page cache, before the job began
  // For the audit: amounts moved in the ramp, which `measured` no longer contains, and the kernel's counts.
  std::uint64_t ramp_bytes[io::kDataDirs], ramp_ios[io::kDataDirs];
  ProcessIoCounts process_io;
  Measured measured;
  char refusal[200];                     // the engine's explanation of the next failed I/O (engine/engine.h)
  char told[kErrorRecords][kToldBytes];  // errors[i] as a base::Error, or empty (run/records/setup_error.h)
  ReplayRecord replay;                   // read_iolog
  // Last, because they are large and rarely used: only their users read or copy them.
  PassedError passed[kPassedErrors];
  BlockRecord lifetimes[kLifetimeBlocks];
  PriorityRecord priorities[2][kPriorityRecords];

  void set_phase(Phase p) { phase.store(static_cast<std::uint32_t>(p), std::memory_order_release); }
  Phase get_phase() const { return static_cast<Phase>(phase.load(std::memory_order_acquire)); }
  // I/Os issued and not completed, as the parent sees it. The counter that is incremented first is read last.
  std::uint64_t in_flight_now() const {
    std::uint64_t over = 0, issued = carried_in.load(std::memory_order_relaxed);
    for (std::size_t d = 0; d < io::kDataDirs; ++d) over += measured.done.ios[d].get();
    for (const auto& count : measured.error_ios) over += count.get();
    over += measured.sync_ios.get();
    for (const auto& count : measured.submit.issued) issued += count.get();
    return issued > over ? issued - over : 0;
  }
  // Call it before the ramp's counts are cleared.
  void keep_ramp() {
    for (std::size_t d = 0; d < io::kDataDirs; ++d) {
      ramp_bytes[d] += measured.done.bytes[d].get();
      ramp_ios[d] += measured.done.ios[d].get();
    }
  }
  ErrorRecord* add_error(int err) {
    if (error == 0) error = err;
    ++error_count;
    if (errors_kept == kErrorRecords) return nullptr;
    errors[errors_kept].err = err;
    return &errors[errors_kept++];
  }
  // Moves the engine's explanation of the failed I/O to `e`. nullptr: discards it.
  void take_refusal(ErrorRecord* e) {
    if (refusal[0] == 0) return;
    if (e != nullptr) {
      std::memcpy(e->what, refusal, sizeof refusal);
      e->told_by_engine = true;
    }
    refusal[0] = 0;
  }
  // Adds a failed I/O. goes_on: the job continues after it. first_target: index of the request's first target among the
  // job's.
  ErrorRecord* add_io_error(int err, bool goes_on, const io::Request& request, std::uint32_t first_target = 0) {
    ++io_errors;
    if (first_io_error == 0) first_io_error = err;
    const auto target = static_cast<std::uint16_t>(request.target + first_target);
    if (goes_on && errors_kept + 1 >= kErrorRecords) {
      ++error_count;
      const auto at = passed_count++;
      if (at < kPassedErrors) passed[at] = {request.offset, request.length, err, target, request.dir};
      return nullptr;
    }
    const int before = error;
    ErrorRecord* const added = add_error(err);
    if (goes_on) error = before;
    if (added == nullptr) return nullptr;
    added->describe(request);
    added->target = target;
    added->went_on = goes_on;
    return added;
  }
};

}  // namespace fathom::run::records
