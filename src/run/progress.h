// Progress of the run: rates since the last look, and the remaining time. The counters are those that the workers
// update anyway.
#pragma once
#include <vector>

#include "run/runner.h"
#include "run/workers.h"

namespace fathom::run {

// The progress of a worker at one moment, from its record.
struct Standing {
  records::Phase phase = records::Phase::idle;
  bool started = false, ended = false;
  std::uint64_t start_ns = 0;    // start of the ramp, or after it of the measured part; 0: neither
  std::uint64_t done_bytes = 0;  // since start_ns
  std::uint64_t ramp_bytes = 0;  // moved in the ramp, when it has ended
};
Standing standing_of(const records::WorkerRecord& record);

struct TimeLeft {
  double seconds = 0;
  bool known = true;
};
// Delay, ramp and runtime, or the remaining bytes at the rate so far, whichever ends first. begin_ns: the start of the
// job's stage. Pure. The remaining time of a job with a constant rate never rises.
TimeLeft time_left(const files::Plan& plan, const Standing& at, std::uint64_t begin_ns, std::uint64_t now_ns);
// Planned time of the stages from `first` on, as far as it is known in advance.
double planned_stages_s(const std::vector<files::Plan>& plans, std::size_t first);

class ProgressWatch {
 public:
  explicit ProgressWatch(const std::vector<files::Plan>& plans);
  // Call before the plans [first, last) start.
  void begin_stage(std::size_t first, std::size_t last);
  Progress look(const Workers& workers);

 private:
  void add_rates(const Workers& workers, double interval_s, Progress& p);
  const std::vector<files::Plan>& plans_;
  std::uint64_t last_ns_, begin_ns_, stage_begin_ns_;
  std::size_t first_ = 0, last_ = 0;
  std::uint64_t bytes_[io::kDataDirs] = {}, ios_[io::kDataDirs] = {};
};

// fio's letter for a worker: P pending, I setting up, / ramp, R r W w M m T by its I/O pattern, _ ended.
char state_letter(const job::Job& job, records::Phase phase, bool started, bool ended);

}  // namespace fathom::run
