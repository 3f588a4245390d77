// Runs a set of jobs: lays files out, starts workers group by group, samples them, stops them, and collects a
// result::Run. The caller has planned the targets and asked the guard; nothing is printed here, progress goes to a
// listener. Thread rule: called from the program's main thread; forks.
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

// A look at the run while it goes on, a few times a second.
struct Progress {
  std::uint32_t jobs_running = 0, jobs_total = 0, jobs_done = 0, open_files = 0;
  std::string states;  // a letter a job, as fio: R r W w M m (running), / (ramp), _ (done), P (pending) ...
  double bytes_per_s[io::kDataDirs] = {}, ios_per_s[io::kDataDirs] = {};
  std::uint64_t bytes[io::kDataDirs] = {},
                ios[io::kDataDirs] = {};  // of all jobs since they began, or their ramp ended
  result::Latency lat[io::kDataDirs];     // of the last second (run/sampling/recent.h)
  double done_share = 0;                  // 0..1
  double elapsed_s = 0;
  std::uint64_t eta_s = 0;
  bool eta_known = false;
};

struct RunOptions {
  std::string program = "fathom";  // its name, which lines of errors begin with
  loop::LoopFinder find_loop = nullptr;
  loop::LoopFunction idle_loop = nullptr;             // over an engine that does nothing: what fathom itself costs
  const process::RunClocks* clocks = nullptr;         // nullptr: chosen here, without the cross-core test
  std::function<void(const clock::Drift&)> on_drift;  // of the CPU clock over this run; empty: none
  std::function<void(const Progress&)> on_progress;   // empty: none
  std::uint64_t progress_interval_ns = sampling::kSampleNs;  // between two of them
  std::function<void(const Progress&)> on_second;            // the same each second, for programs; empty: none
  std::uint64_t status_interval_ns = 0;                      // between two reports in mid-run; 0: none by time
  std::function<bool()> status_asked;                        // one more now; asked twice a second, and after a signal
  std::function<void(result::Run)> on_status;                // a report in mid-run (run/outcome/so_far.h); empty: none
  files::LayoutListener on_layout;                           // empty: none
  std::function<void(const WorkerViews&)> on_start;          // files are laid out, the first worker starts next
  std::function<void(const job::Job&)>
      on_announcement;                               // a job of a stage that starts, whose engine has something to say
  files::DescriptorLook may_write;                   // empty: what was planned may be written
  std::uint64_t give_up_ns = 300'000'000'000;        // a job that was asked to end and has not is killed then
  std::function<void()> on_end;                      // the last worker has ended
  std::function<void(const base::Error&)> on_error;  // a set-up error: its job does not run, the others do
  records::StampLogs* stamps = nullptr;              // a ring a plan, for --debug=io; null: none
  split::Desk* desk = nullptr;                       // for --breakdown; null: none
  LogWishes logs;
  watch::TriggerWishes trigger;
  std::function<void(const std::string&)> on_line;  // a line in fio's words; empty: nobody wants them
  std::atomic<std::uint32_t>* stop = nullptr;       // shared memory; 1: drain and report, 2: leave at once
};

// Plans every job. One that has nothing to do or whose targets cannot be looked at fails alone (Plan::failed); the
// Error of the first where that leaves no job at all.
base::Expected<std::vector<files::Plan>> plan_jobs(const job::JobSet& jobs);

// Existing files and devices that the jobs would write to, with the jobs' allow_mounted_write. A file that is only
// lengthened before it is read loses nothing and is not one, nor is /dev/null.
struct WriteTarget {
  std::string path;
  bool allow_mounted_write = false;
  bool device = false;  // nothing can be looked for on it (reached by its engine, or a character device): named, or
                        // not written
};
std::vector<WriteTarget> write_targets(const std::vector<files::Plan>& plans);
// What the jobs reach through the kernel, each path once, in the order in which they name it.
struct KernelTarget {
  std::string path;
  bool writes = false;  // one of them does
};
std::vector<KernelTarget> kernel_targets(const std::vector<files::Plan>& plans);

// What the jobs write beside their targets, each file once: logs, buffers in files, output of commands, verify states.
struct WrittenFile {
  enum class Keeps { nothing, all_but_states, foreign, all };  // all: it is mapped for one process alone
  std::string option;                                          // that makes it
  std::string path;
  Keeps keeps = Keeps::nothing;  // of a regular file that is there and holds something; fio keeps nothing
};
std::vector<WrittenFile> written_files(const std::vector<files::Plan>& plans);

// jobs, group_members, groups, errors, findings (fallbacks), interrupted, time and global_options are filled; the rest
// is the caller's.
result::Run run_jobs(std::vector<files::Plan> plans, const job::JobSet& jobs, const RunOptions& options);

}  // namespace fathom::run
