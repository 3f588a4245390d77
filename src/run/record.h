// What one worker produces, in memory shared with its parent (a job is a forked process by default), so that nothing
// measured is lost when a worker dies. All-zero bytes are a valid, empty record, and pages are touched only when used:
// a thousand idle workers cost little. Thread rule: one writer (the worker); the parent reads counters while it runs
// (relaxed atomics) and the rest after it ended.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstring>

#include "io/request.h"
#include "stats/histogram.h"
#include "stats/moments.h"

namespace fathom::run {

// A counter with one writer: a plain load, add and store, but never torn for a reader.
class Counter {
 public:
  void add(std::uint64_t n) { v_.store(v_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  void set(std::uint64_t n) { v_.store(n, std::memory_order_relaxed); }
  std::uint64_t get() const { return v_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> v_;
};

struct LatencyRecord {
  stats::Moments moments;
  stats::RawHistogram histogram;
  void add(std::uint64_t ns) {
    moments.add(ns);
    histogram.add(ns);
  }
};

struct alignas(64) DirectionRecord {
  // completion path
  Counter bytes, ios;
  // submission path
  Counter issued;
  // errors only
  Counter short_ios, error_ios;
  LatencyRecord clat, lat, slat, intended;
};

struct WidthRecord {
  std::uint64_t batches, ios, max_ios, sum_ns, max_ns;
  void add(std::uint64_t n, std::uint64_t ns) {
    ++batches;
    ios += n;
    if (n > max_ios) max_ios = n;
    sum_ns += ns;
    if (ns > max_ns) max_ns = ns;
  }
};

struct DepthRecord {
  std::uint64_t level[7], submit[7], complete[7];
  std::uint64_t submit_calls, complete_calls;
};

// One failed I/O or call, in fixed space: the worker may not allocate.
struct ErrorRecord {
  int err;
  io::Dir dir;
  bool is_io;  // offset and length mean something
  std::uint16_t target;
  std::uint64_t offset_bytes, length_bytes;
  char what[160];  // "open", "io_uring_setup", or the message of an engine's open
};
inline constexpr std::size_t kErrorRecords = 16;

enum class Phase : std::uint32_t { idle = 0, setup, ready, ramp, running, done };

// What is measured: cleared when the ramp ends.
struct Measured {
  DirectionRecord dirs[io::kDataDirs];
  LatencyRecord sync_lat;
  Counter sync_ios;
  WidthRecord submit_width, reap_width;
  DepthRecord depth;
  std::uint64_t late_ios;
  std::uint64_t clock_steps_back;
};

struct WorkerRecord {
  std::atomic<std::uint32_t> phase;
  std::atomic<std::uint32_t> in_flight;
  std::atomic<int> pid;
  int error;  // first errno, 0: none
  std::uint64_t error_count;
  ErrorRecord errors[kErrorRecords];
  std::atomic<std::uint64_t> start_ns;  // measured part: CLOCK_MONOTONIC at its start
  std::uint64_t start_epoch_ms;         // wall clock at the job's start
  std::uint64_t elapsed_ns;             // measured part, by the job's own clock
  std::uint64_t job_ns;                 // ramp and drain included
  double user_cpu_s, system_cpu_s, cpu_wall_s;
  std::uint64_t ctx_switches, major_faults, minor_faults;
  bool interrupted;
  bool ended_in_ramp;
  char note[4][120];  // what an engine fell back from, for findings
  Measured measured;

  void set_phase(Phase p) { phase.store(static_cast<std::uint32_t>(p), std::memory_order_release); }
  Phase get_phase() const { return static_cast<Phase>(phase.load(std::memory_order_acquire)); }
  ErrorRecord* add_error(int err) {
    if (error == 0) error = err;
    const auto at = error_count++;
    if (at >= kErrorRecords) return nullptr;
    errors[at].err = err;
    return &errors[at];
  }
};

}  // namespace fathom::run
