// The result of a run: versioned plain data without behavior.
// run/ fills it, report/ prints it, audit/ checks it, and a stored file can be reported again.
// docs/reference/json.md describes its JSON form.
// Later versions only add fields. kSchemaVersion increases with every addition.
// The unit is last in every name. Rates refer to `runtime`, the time in which the direction was measured (ramp
// excluded).
// Thread rule: plain data; any thread may read, one at a time may change it.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/engines.h"
#include "result/audit.h"
#include "result/breakdown.h"
#include "result/delivery.h"
#include "result/finding.h"
#include "result/paging.h"
#include "result/sums/queue_stats.h"
#include "result/verified.h"
#include "stats/percentiles.h"

namespace fathom::result {

inline constexpr int kSchemaVersion = 15;
inline constexpr int kOldestRead = 14;   // oldest schema version that fathom reads
inline constexpr std::size_t kDirs = 3;  // read, write, trim, as io::Dir

// One latency of one direction: exact moments, and a histogram for percentiles.
// An empty histogram with moments.n > 0 has two possible reasons.
// Percentiles were off, or the file is from another program, which stores none. Then percentiles_ns has those it
// stores.
struct Latency {
  stats::Moments moments_ns;
  stats::Histogram histogram_ns;
  // From a file without a histogram.
  stats::PercentileTable percentiles_ns = {};
  bool operator==(const Latency&) const = default;
};

// Samples taken every bwavgtime (500 ms) while the job ran, each with equal weight.
struct Samples {
  double min = 0, max = 0, mean = 0, stddev = 0;
  std::uint64_t n = 0;
  bool operator==(const Samples&) const = default;
};

// Neighboring samples, summed if a long run has more samples than a series has points.
struct SeriesPoint {
  std::uint64_t time_ms = 0;      // end of the interval, since the job's start
  std::uint64_t interval_ms = 0;  // its length
  std::uint64_t bytes = 0;
  std::uint64_t ios = 0;
  // The latency that Direction::series_latency names. A percentile exists only if the interval has enough samples.
  std::optional<std::uint64_t> lat_n = std::nullopt, lat_ns_p50 = std::nullopt, lat_ns_p99 = std::nullopt,
                               lat_ns_p999 = std::nullopt;
  bool operator==(const SeriesPoint&) const = default;
};

// The latencies of a series in a band of sizes, a quarter of an octave.
struct SeriesBand {
  std::uint64_t from_ns = 0, to_ns = 0;  // to_ns is the first value above the band
  std::vector<std::uint64_t> counts;     // one per point of the series
  bool operator==(const SeriesBand&) const = default;
};

// Latency by I/O priority (cmdprio_*): clat, or lat if the job reports percentiles of lat.
struct PriorityLatency {
  unsigned io_class = 0, level = 0, hint = 0;
  Latency latency;
  bool operator==(const PriorityLatency&) const = default;
};

// One direction of one job or group.
struct Direction {
  std::uint64_t bytes = 0;
  std::uint64_t ios = 0;     // completed
  std::uint64_t issued = 0;  // issued, as fio's "issued rwts"
  std::uint64_t short_ios = 0;
  std::uint64_t dropped_ios = 0;
  std::uint64_t error_ios = 0;
  // Everything that reached the engine, including ramp and reading back; for the audit.
  std::uint64_t moved_bytes = 0;
  std::uint64_t moved_ios = 0;
  std::uint64_t runtime_ms = 0;  // 0 when the direction was not used
  // The same, not rounded. For a sum of jobs: the longest.
  std::uint64_t runtime_ns = 0;
  // Begin and end of that time, relative to the first job's begin. For a sum of jobs: the first and the last.
  std::optional<std::uint64_t> begin_ns, end_ns;
  Latency slat, clat, lat;
  Latency intended_lat;                     // rate-driven jobs: from the intended start to completion
  Latency start_delay;                      // rate-driven jobs: from the intended start to the issue
  std::vector<PriorityLatency> priorities;  // only those with samples; empty: one priority
  Samples bw_kib_s, iops;                   // bandwidth in KiB/s
  std::vector<SeriesPoint> series;
  // The latency of the points: intended_lat, lat or clat. Empty: the points have no latencies.
  std::string series_latency;
  std::vector<SeriesBand> series_bands = {};  // rising; only bands with latencies
  bool operator==(const Direction&) const = default;
};

// A place in the user's text (base::SourcePlace). line and column count from 1; 0: unknown.
struct Place {
  std::string file;
  int line = 0, column = 0;
  bool operator==(const Place&) const = default;
};

// One failed I/O, or an error that prevented a job's I/O.
// Only the first kMaxErrorRecords of a job are stored in full; all are counted. An empty text is unknown.
inline constexpr std::size_t kMaxErrorRecords = 16;
struct IoError {
  int err = 0;                                              // errno
  std::string op;                                           // read, write, trim, sync, setup
  std::string file = {};                                    // of an I/O
  std::optional<std::uint64_t> offset_bytes, length_bytes;  // of an I/O
  // One line, as printed in the text report.
  std::string message = {};
  std::string job = {};
  // For a job that failed: what failed, why, and what the user can do.
  std::string what = {}, cause = {}, remedy = {};
  // Place of the failed job, or of the mistake in it.
  std::optional<Place> place = {};
  bool went_on = false;  // the job continued after it
  bool operator==(const IoError&) const = default;
};

// The number of I/Os that shared one clock read, and the time that one read covers.
struct StampWidth {
  std::uint64_t batches = 0;
  std::uint64_t ios = 0;
  std::uint64_t max_ios = 0;
  double mean_ns = 0;  // mean and maximum width of one timestamp
  std::uint64_t max_ns = 0;
  bool operator==(const StampWidth&) const = default;
};

struct Stamps {
  // "fathom": issue time is read before the submitting call; "fio": after it.
  std::string placement = "fathom";
  StampWidth submit, reap;
  bool operator==(const Stamps&) const = default;
};

// The clock that timestamped a job, and the evidence for it.
// The cross-core test is about the CPU clock.
// A job on another source has the test too, if fathom would have used the CPU clock and did not (fell_back).
struct ClockFacts {
  std::string source;                  // cpu, clock_gettime, gettimeofday, sim
  std::string verdict = "not tested";  // of the cross-core test: "not tested", "passed", "failed"
  double ticks_per_second = 0;         // of the source
  std::string calibration;             // method of the conversion
  double calibration_error_ppm = 0;    // error bound of the conversion
  double resolution_ns = 0;            // the smallest step that the source shows often
  double read_cost_ns = 0;             // of one clock read, median
  std::string test = "none";           // none, short, long
  bool test_cached = false;            // from an earlier test of this boot
  bool check_skipped = false;          // --clock-check=skip
  std::string cpus_tested;             // "0-3,8"; empty: no CPU
  // Smallest offset between CPUs that the test detects.
  double detectable_ns = 0;
  // Neighbors in the test's sequence with time that runs backwards.
  std::uint64_t mismatches = 0;
  bool fit = true;  // the source is reliable as far as it was tested
  // fathom would have used the CPU clock, and did not.
  bool fell_back = false;
  std::string reason;  // one sentence: why this source, or why it is unfit
  // Drift of the CPU clock's conversion over the run, relative to CLOCK_MONOTONIC_RAW.
  std::optional<double> drift_ppm;
  double drift_bound_ppm = 0;  // error bound of drift_ppm
  // The same conversion's drift from an earlier run of this boot with a smaller bound.
  // Absent if there is no such run, or if it contradicts this run.
  std::optional<double> boot_drift_ppm;
  double boot_drift_bound_ppm = 0, boot_drift_over_s = 0;
  bool operator==(const ClockFacts&) const = default;
};

// fathom's overhead, measured on this machine after the run, with an engine that does nothing.
struct OwnCost {
  double record_ns = 0;  // one latency into moments and histogram
  // Everything: prepare, timestamp, submit, reap, record.
  double loop_ns_per_io = 0;
  bool operator==(const OwnCost&) const = default;
};

// /proc/PID/io of a worker (or of its thread, if it is a thread): end minus begin, ramp included.
// rchar and wchar do not count io_uring; read_bytes and write_bytes do.
struct ProcessIo {
  bool readable = false;
  std::uint64_t rchar = 0, wchar = 0, read_bytes = 0, write_bytes = 0, cancelled_write_bytes = 0;
  bool operator==(const ProcessIo&) const = default;
};

// A paced job: requested and achieved rate.
struct Rate {
  bool paced = false;
  double asked_iops[kDirs] = {};
  double asked_bytes_per_s[kDirs] = {};
  // Issued more than 1 ms after the intended start.
  std::uint64_t late_ios = 0;
  bool operator==(const Rate&) const = default;
};

// block_error_percentiles=: the blocks of the job's file, by the number of trims until they failed or until now.
struct BlocksByTrims {
  std::uint64_t trims = 0, blocks = 0;
  bool operator==(const BlocksByTrims&) const = default;
};
struct BlockLifetimes {
  // Blocks, by their last event.
  std::uint64_t untouched = 0, trimmed = 0, written = 0, trim_failed = 0, write_failed = 0;
  std::vector<BlocksByTrims> by_trims;  // all except the untouched blocks
  bool operator==(const BlockLifetimes&) const = default;
};

// latency_target=: the goal of the search for a depth, and its result.
struct LatencyTarget {
  std::uint64_t target_ns = 0;  // 0: disabled
  std::uint64_t window_ns = 0;
  double percentile = 100;
  std::uint64_t depth = 0;
  bool operator==(const LatencyTarget&) const = default;
};

// steadystate=: the criterion, and the values of the last intervals.
struct SteadyState {
  std::string criterion = "iops";  // iops, bw, lat
  // true: slope of the line through the values; false: the largest deviation from their mean
  bool slope = false;
  double limit = 0;
  bool percent = false;  // limit and value are in percent of the mean
  std::uint64_t duration_s = 0;
  bool attained = false;
  double value = 0;          // the last value compared with the limit
  double max_deviation = 0;  // iops, bytes/s or ns
  double slope_value = 0;    // the same unit, per interval
  // One value per interval, oldest first. lat_ns: mean completion latency.
  std::vector<double> iops, bytes_per_s, lat_ns;
  bool operator==(const SteadyState&) const = default;
};

// fio's IO depth buckets: 1, 2, 4, 8, 16, 32, >=64 for level; 0, 4, 8, 16, 32, 64, >=64 for submit and complete.
// The values are counts, and not percent.
struct DepthCounts {
  std::array<std::uint64_t, 7> level{}, submit{}, complete{};
  // The totals that the percentages refer to.
  std::uint64_t submit_calls = 0, complete_calls = 0;
  bool operator==(const DepthCounts&) const = default;
};

// --idle-prof: the part of the CPUs' time that a thread of the lowest priority got.
// The unit time is the duration of its unit of work without disturbance.
struct CpuIdleness {
  double system_percent = 0;
  // Each CPU that the run could use, in order.
  std::vector<double> cpu_percent;
  bool each = false;  // percpu: the text report has them too
  double unit_mean_us = 0, unit_stddev_us = 0;
  bool operator==(const CpuIdleness&) const = default;
};

using Options = std::vector<std::pair<std::string, std::string>>;  // canonical name, value as written

// How fio's reports show a job, from its options. No measured number depends on it.
struct Reporting {
  bool hidden = false;  // stats=0: fio's reports omit the job
  bool both = false;    // unified_rw_reporting=both: each direction, and their sum
  std::uint32_t significant_figures = 4;
  std::uint32_t kb_base = 1024;
  // 1: rates in bits; 8: in bytes; 0: the engine's default, bytes.
  std::uint32_t unit_base = 0;
  // By job_start_clock_id, if that is a clock other than the calendar's.
  std::optional<std::uint64_t> job_start_ms;
  bool operator==(const Reporting&) const = default;
};

// Records of a trace that were not replayed, by reason.
struct ReplaySkip {
  std::string reason;
  std::uint64_t records = 0;
  std::string first = {};  // place of the first one, "line 7"; empty: unknown
  bool operator==(const ReplaySkip&) const = default;
};

// read_iolog=: how faithful a replay was. Times of the trace are after replay_time_scale.
struct Replay {
  std::string trace, format;  // the file, and the name of its format; several: of a sum of jobs
  // "recorded times": each I/O has its recorded time as the intended start. "no times": the trace has none.
  // "no stall": replay_no_stall. "closed loop", "closed loop, no pauses": replay_loop=closed.
  std::string pace;
  std::string wait;  // meaning of `wait` lines: start_ms, previous_us; empty: no such format
  std::uint64_t time_scale_percent = 100;
  std::uint64_t time_unit_ns = 1;          // resolution of the recorded times
  std::uint64_t records = 0;               // of the trace that were read
  std::uint64_t wanted_ios = 0;            // I/Os that these ask for, syncs included
  std::optional<std::uint64_t> trace_ios;  // of the whole trace; unknown for a stream
  bool to_the_end = false;                 // nothing of the trace is left
  std::uint64_t replayed_ios = 0;          // completed or failed I/Os, syncs included
  std::vector<ReplaySkip> skipped;
  std::uint64_t times_back = 0;                 // records whose time is before that of their predecessor
  std::uint64_t recorded_ns = 0;                // intended start of the last I/O that was read
  std::uint64_t replayed_ns = 0;                // start of the last I/O
  std::uint64_t depth = 1;                      // most I/Os in flight that the job permits
  std::optional<std::uint64_t> recorded_depth;  // most I/Os in flight in the trace; unknown without completions
  Latency lateness;                             // of reads, writes and trims: from the intended to the actual start
  std::uint64_t last_late_ns = 0;               // lateness of the last one
  std::uint64_t late_ios = 0;                   // more than 1 ms late, syncs included
  std::uint64_t started_out_of_order = 0;       // I/Os that started before an I/O that precedes them in the trace
  std::uint64_t ended_out_of_order = 0;         // I/Os that ended after an I/O that follows them in the trace
  std::uint64_t reader_waits = 0;               // times the job waited because the trace was not read fast enough
  std::uint64_t interval_ms = 1000;             // length of an interval of the two lists
  std::vector<std::uint64_t> recorded_ios, achieved_ios;  // reads, writes and trims that are due, and that started
  bool operator==(const Replay&) const = default;
  bool is_closed() const { return pace.starts_with("closed loop"); }
};

struct Job {
  std::string name;
  std::string description;
  int group_id = 0;
  // Index in the run, from 0. The members of a reported group have the index of their first.
  int job_number = 0;
  int members = 1;      // > 1: a group_reporting sum of this number of jobs
  int section = 0;      // the job section it is from; clones from numjobs share it
  bool thread = false;  // a thread instead of a forked process
  int pid = 0;
  int error = 0;  // errno of the first error, 0: no error
  bool interrupted = false;
  bool running = false;     // in a report made in mid-run
  std::uint64_t eta_s = 0;  // of the run, in such a report
  std::uint64_t start_epoch_ms = 0;
  std::uint64_t elapsed_s = 0;
  std::uint64_t job_runtime_ms = 0;
  std::string engine;
  io::EngineTraits traits;  // of the engine, for the audit; not stored
  Options options;          // as the user wrote them for this job
  // Options in [global] for this job, if they differ from those of the run: another [global] followed.
  std::optional<Options> global_options = {};
  std::string section_name = {};  // of the job file, if `name` renamed the job; empty: the name
  // Repetitions (--repeat): options that reproduce its random choices. Empty: as the job is written.
  Options seeds;
  std::uint64_t iodepth = 1;
  std::uint64_t bs_min[kDirs] = {}, bs_max[kDirs] = {};
  std::string rw;  // canonical: randread, rw, ...
  // verify=: duration of reading back, which the runtimes of writes exclude.
  std::uint64_t read_back_ns = 0;
  Verified verified;
  std::vector<double> percentile_list;
  bool slat_percentiles = false, clat_percentiles = true, lat_percentiles = false;
  bool unified = false;
  Reporting reporting;
  bool has_slat = false;  // asynchronous engine: slat is measured
  std::array<Direction, kDirs> dirs;
  // Interval of one point of the series: 500, doubled as often as needed.
  std::uint64_t series_width_ms = 0;
  std::uint64_t sync_ios = 0;
  Latency sync_lat;
  double usr_cpu_percent = 0, sys_cpu_percent = 0;
  // Share of the same time in which the job was ready, and waited for a CPU.
  std::optional<double> cpu_wait_percent;
  // Time by which pauses and waits for intended starts were too long (run/loop/pause.h).
  std::uint64_t overslept_ns = 0;
  std::uint64_t ctx_switches = 0, major_faults = 0, minor_faults = 0;
  DepthCounts depth;
  // Percent by fio's 32 labels, from an older file without a histogram.
  std::vector<double> latency_shares = {};
  Stamps stamps;
  ClockFacts clock;
  // nullopt: the run was too short to spend time on it.
  std::optional<OwnCost> own_cost;
  Rate rate;
  Delivery delivery;
  ProcessIo process_io;
  // For engines with separate queue pairs.
  std::optional<QueueStats> queue;
  std::vector<IoError> errors;  // the first ones; more with error_dump
  std::uint64_t error_count = 0;
  // The job continues after failed I/Os: continue_on_error, ignore_error.
  bool goes_on = false;
  // Failed I/Os, including those after which the job continued.
  int first_io_error = 0;
  std::uint64_t io_errors = 0;
  LatencyTarget latency_target;
  std::optional<SteadyState> steady_state;
  std::optional<BlockLifetimes> block_lifetimes;
  std::optional<Replay> replay;
  std::optional<std::uint64_t> zone_resets;  // zonemode=zbd, of a job that writes or trims
  bool operator==(const Job&) const = default;
};

// fio's "Run status group N": one direction of one group.
struct GroupDirection {
  bool used = false;
  std::uint64_t bytes = 0;
  double agg_bytes_per_s = 0, min_bytes_per_s = 0, max_bytes_per_s = 0;
  std::uint64_t min_run_ms = 0, max_run_ms = 0;
  // For a group of several reported jobs: their combined series, as in Direction.
  // The latencies come from one histogram of all jobs, so an interval has percentiles.
  std::vector<SeriesPoint> series;
  std::string series_latency;
  std::vector<SeriesBand> series_bands = {};
  bool operator==(const GroupDirection&) const = default;
};
struct Group {
  int id = 0;
  std::array<GroupDirection, kDirs> dirs;
  bool operator==(const Group&) const = default;
};

// /sys/block/NAME/stat: end minus begin. `members` has the disks under a device-mapper or md device.
struct Disk {
  std::string name;
  std::uint64_t read_ios = 0, write_ios = 0, read_merges = 0, write_merges = 0, read_sectors = 0, write_sectors = 0;
  std::uint64_t read_ticks_ms = 0, write_ticks_ms = 0, in_queue_ms = 0;
  double util_percent = 0;
  std::vector<Disk> members;
  bool operator==(const Disk&) const = default;
};

struct DeviceFacts {
  std::string target;  // path the job named
  std::string kind;    // regular, block, character
  std::string file_system, mount_point, mount_options;
  std::string disk;  // kernel name, "vda"
  std::string model, serial, scheduler;
  std::uint64_t size_bytes = 0;
  std::uint32_t logical_block_bytes = 0;
  bool rotational = false;
  bool no_poll = false;  // the kernel cannot poll the disk's completions
  bool operator==(const DeviceFacts&) const = default;
};

struct HostFacts {
  std::string hostname, kernel, machine, cpu_model, distribution, clock_source, governor, hypervisor;
  std::uint32_t cpus_online = 0, cpus_allowed = 0;
  std::uint64_t memory_bytes = 0, page_bytes = 0;
  // The smallest limit of the cgroups that the run is in; 0: no limit.
  std::uint64_t memory_limit_bytes = 0;
  double load_average_1min = 0;
  std::vector<DeviceFacts> devices;
  bool operator==(const HostFacts&) const = default;
};

// --settle: the wait before the run, and the remaining background load.
struct Settle {
  bool asked = false;  // requested
  bool settled = false;
  double waited_s = 0;
  double background_cpu_percent = 0;
  double background_disk_iops = 0, background_disk_bytes_per_s = 0;
  bool operator==(const Settle&) const = default;
};

// --repeat: one number over the repetitions.
// From three values on, ci95_* are a 95 % interval (stats/repeat.h). With fewer, they are the smallest and the largest.
struct RepeatedMetric {
  std::string job, direction, metric, unit;  // "t", "read", "iops", "1/s"
  std::vector<double> values;
  double mean = 0, stddev = 0, median = 0, ci95_low = 0, ci95_high = 0;
  bool operator==(const RepeatedMetric&) const = default;
};

struct Program {
  std::string name = "fathom";
  std::string version, commit, compiler;
  std::vector<std::string> argv;
  std::string fio_version = "fio-3.42";
  bool fio_mode = false;
  bool operator==(const Program&) const = default;
};

// Files that were created or extended before a job started.
struct Layout {
  std::string job;
  std::uint64_t files = 0, bytes = 0;
  bool operator==(const Layout&) const = default;
};

struct Run {
  int schema_version = kSchemaVersion;
  std::string run_id;  // a UUID; empty: unknown
  Program program;
  std::uint64_t time_epoch_ms = 0;
  std::uint64_t end_epoch_ms = 0;  // end of the last job; 0: unknown
  // Time zone of the report, in seconds east of UTC; nullopt: the reader's time zone.
  std::optional<int> utc_offset_s;
  Options global_options;
  std::vector<Job> jobs;  // as reported: group_reporting already applied
  // The single jobs of each group_reporting sum, in order.
  std::vector<Job> group_members;
  std::vector<Group> groups;
  std::vector<Layout> layouts;
  std::vector<Disk> disks;
  HostFacts host;
  Settle settle;
  std::vector<Finding> findings;
  // Errors of all jobs, and those that belong to no job.
  std::vector<IoError> errors;
  std::optional<Audit> audit;          // nullopt: --audit=off
  std::optional<Breakdown> breakdown;  // --breakdown
  std::vector<WatcherCost> watching;   // --cost
  // `fathom paging`. The result then has no jobs.
  std::optional<Paging> paging;
  std::optional<CpuIdleness> cpu_idleness;  // --idle-prof
  bool interrupted = false;
  std::vector<RepeatedMetric> repeated;
  std::vector<Run> repetitions;  // --repeat: every raw result
  bool operator==(const Run&) const = default;
};

}  // namespace fathom::result
