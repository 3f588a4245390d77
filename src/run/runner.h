// Runs a set of jobs and returns a result::Run.
// The run lays files out, starts workers group by group, samples them, stops them, and collects the result.
// The caller has planned the targets and checked them with the write guard.
// Nothing here prints: progress goes to the callbacks of RunOptions.
// Thread rule: the program's main thread. The run forks. Callbacks run on the main thread, except may_write.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "clock/drift.h"
#include "job/job.h"
#include "result/result.h"
#include "run/files/layout.h"
#include "run/files/targets.h"
#include "run/log_keeper.h"
#include "run/loop/context.h"
#include "run/process/clock_choice.h"
#include "run/sampling/sampler.h"
#include "run/watch/trigger.h"
#include "run/worker_view.h"
#include "split/desk.h"

namespace fathom::run {

// The state of a run in progress, several times per second.
struct Progress {
  std::uint32_t jobs_running = 0, jobs_total = 0, jobs_done = 0, open_files = 0;
  // One letter per job, as in fio: R r W w M m (running), / (ramp), _ (done), P (pending) ...
  std::string states;
  double bytes_per_s[io::kDataDirs] = {}, ios_per_s[io::kDataDirs] = {};
  // Totals over all jobs, each counted since it began or since its ramp ended.
  std::uint64_t bytes[io::kDataDirs] = {}, ios[io::kDataDirs] = {};
  result::Latency lat[io::kDataDirs];  // of the last second (run/sampling/recent.h)
  double done_share = 0;               // 0..1
  double elapsed_s = 0;
  std::uint64_t eta_s = 0;
  bool eta_known = false;
};

struct RunOptions {
  std::string program = "fathom";  // program name, the prefix of error lines
  loop::LoopFinder find_loop = nullptr;
  // Runs over an engine that does nothing, to measure fathom's overhead.
  loop::LoopFunction idle_loop = nullptr;
  const process::RunClocks* clocks = nullptr;  // nullptr: run_jobs() chooses, without the cross-core test
  // Receives the drift of the CPU clock over this run. Empty: not called.
  std::function<void(const clock::Drift&)> on_drift;
  std::function<void(const Progress&)> on_progress;          // empty: not called
  std::uint64_t progress_interval_ns = sampling::kSampleNs;  // between two calls of on_progress
  // The same once per second, for programs. Empty: not called.
  std::function<void(const Progress&)> on_second;
  // Interval between two reports in mid-run; 0: no periodic report.
  std::uint64_t status_interval_ns = 0;
  // True: send one more report now. Called twice per second, and after a signal.
  std::function<bool()> status_asked;
  // Receives a report in mid-run (run/outcome/so_far.h). Empty: not called.
  std::function<void(result::Run)> on_status;
  files::LayoutListener on_layout;  // empty: not called
  // Called when all files are laid out, before the first worker starts.
  std::function<void(const WorkerViews&)> on_start;
  // Called for each job of a stage that starts. The listener shows the announcement of the job's engine, if there is
  // one.
  std::function<void(const job::Job&)> on_announcement;
  // Checks an open target before the first write, in any thread of any process of the run.
  // Empty: every planned target may be written.
  files::DescriptorLook may_write;
  // The parent kills a job that has not ended this long after the request to end.
  std::uint64_t give_up_ns = 300'000'000'000;
  std::function<void()> on_end;  // the last worker has ended
  // Receives a setup error. That job does not run; the others do.
  std::function<void(const base::Error&)> on_error;
  // A ring per plan, for --debug=io; nullptr: disabled.
  records::StampLogs* stamps = nullptr;
  split::Desk* desk = nullptr;  // for --breakdown; nullptr: disabled
  LogWishes logs;
  watch::TriggerWishes trigger;
  // Receives a line in fio's format. Empty: not called.
  std::function<void(const std::string&)> on_line;
  // In shared memory, required. 1: drain and report; 2: leave at once.
  std::atomic<std::uint32_t>* stop = nullptr;
};

// Plans every job.
// A job without work, or with targets that cannot be examined, fails alone (Plan::failed).
// Errors: the first job's error if every job fails; the error of a directory= that cannot be used.
base::Expected<std::vector<files::Plan>> plan_jobs(const job::JobSet& jobs);

// Existing files and devices that the jobs would write to, with the jobs' allow_mounted_write.
// The list omits /dev/null, and a file that is only extended before it is read, since neither loses data.
struct WriteTarget {
  std::string path;
  bool allow_mounted_write = false;
  // No check of its contents is possible: the engine accesses it, or it is a character device.
  // Such a target must be named, or it is not written.
  bool device = false;
};
std::vector<WriteTarget> write_targets(const std::vector<files::Plan>& plans);
// The targets that the jobs access through the kernel. Each path occurs once, in the order of the jobs.
struct KernelTarget {
  std::string path;
  bool writes = false;  // at least one job writes it
};
std::vector<KernelTarget> kernel_targets(const std::vector<files::Plan>& plans);

// The files that the jobs write in addition to their targets, each once.
// These are logs, buffers in files, output of commands, and verify states.
struct WrittenFile {
  // Which existing files must not be overwritten; foreign: those that fathom did not write.
  // all: one process alone maps the file.
  enum class Keeps { nothing, all_but_states, foreign, all };
  std::string option;  // the option that creates the file
  std::string path;
  // Applies to an existing regular file that is not empty. fio keeps nothing.
  Keeps keeps = Keeps::nothing;
};
std::vector<WrittenFile> written_files(const std::vector<files::Plan>& plans);

// Runs the planned jobs. Never fails as a whole: errors of jobs are data in the result.
// Fills jobs, group_members, groups, errors, findings (fallbacks), interrupted, time and global_options.
// The caller fills the rest.
result::Run run_jobs(std::vector<files::Plan> plans, const job::JobSet& jobs, const RunOptions& options);

}  // namespace fathom::run
