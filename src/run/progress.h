// How far the run is: rates since the last look, and how long it will still take. Made from counters that the workers
// keep anyway.
#pragma once
#include <vector>

#include "run/runner.h"
#include "run/workers.h"

namespace fathom::run {

// What a worker's record says of how far it is, at one moment.
struct Standing {
  records::Phase phase = records::Phase::idle;
  bool started = false, ended = false;
  std::uint64_t start_ns = 0;    // of the ramp, or once that is over of the measured part; 0: neither
  std::uint64_t done_bytes = 0;  // since then
  std::uint64_t ramp_bytes = 0;  // of the ramp, when it is over
};
Standing standing_of(const records::WorkerRecord& record);

struct TimeLeft {
  double seconds = 0;
  bool known = true;
};
// Delay, ramp and runtime, or what is left of the bytes at the rate so far, whichever ends first. begin_ns: the start
// of the job's stage. Pure; the ETA of a job that keeps its rate never runs backwards.
TimeLeft time_left(const files::Plan& plan, const Standing& at, std::uint64_t begin_ns, std::uint64_t now_ns);
// Of the stages from `first` on, as far as it is known beforehand.
double planned_stages_s(const std::vector<files::Plan>& plans, std::size_t first);

class ProgressWatch {
 public:
  explicit ProgressWatch(const std::vector<files::Plan>& plans);
  // The plans [first, last) are about to start.
  void begin_stage(std::size_t first, std::size_t last);
  Progress look(const Workers& workers);

 private:
  void add_rates(const Workers& workers, double interval_s, Progress& p);
  const std::vector<files::Plan>& plans_;
  std::uint64_t last_ns_, begin_ns_, stage_begin_ns_;
  std::size_t first_ = 0, last_ = 0;
  std::uint64_t bytes_[io::kDataDirs] = {}, ios_[io::kDataDirs] = {};
};

// fio's letter for a worker: P pending, I set up, / ramp, R r W w M m T by what it does, _ ended.
char state_letter(const job::Job& job, records::Phase phase, bool started, bool ended);

}  // namespace fathom::run
