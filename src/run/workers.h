// The workers of one run, a process or a thread each (worker/group.h): what each is given, their common start, who asks
// whom to stop, and what is to be said of one that did not start or was killed. Its record stays behind: what it had
// measured is still reported. Thread rule: the thread that made it.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/system/shared_memory.h"
#include "clock/sources/calibration.h"
#include "job/fields/ends.h"
#include "result/result.h"
#include "run/files/targets.h"
#include "run/loop/context.h"
#include "run/loop/worker.h"
#include "run/outcome/delivery.h"
#include "run/process/clock_choice.h"
#include "run/records/limits.h"
#include "run/sampling/sampler.h"
#include "run/verify_states.h"
#include "run/watch/flow_share.h"
#include "run/worker_view.h"
#include "worker/group.h"
#include "worker/steps.h"

namespace fathom::run {

struct Worker {
  files::Plan* plan = nullptr;
  records::WorkerRecord* record = nullptr;
  std::span<records::WorkerRecord> lanes;   // io_submit_mode=offload: what `record` is the sum of
  std::size_t first_place = 0, places = 0;  // among the claims
  clock::sources::Calibration calibration;
  loop::LoopFunction loop = nullptr;
  bool started = false, ended = false;
  int refused = 0;             // errno of the fork or of the thread's start
  bool failure_said = false;   // to the listener
  std::uint64_t asked_ns = 0;  // when it was asked to end; 0: it was not
  bool given_up = false;       // it did not
  std::string verdict;         // why the parent ended it with an error; empty: it did not
  bool end_seen = false;       // exitall: those that end with it have been told
  sampling::WorkerSeries series;
  outcome::DepthSamples depth;
  void look_at_depth();
  std::vector<const records::WorkerRecord*> lane_records() const;
};

class Workers {
 public:
  Workers(std::vector<files::Plan>& plans, loop::LoopFinder find_loop, const process::RunClocks& clocks,
          std::atomic<std::uint32_t>& stop);
  ~Workers();  // whoever has not been let go does not begin any more
  Workers(const Workers&) = delete;

  std::vector<Worker>& all() { return all_; }
  const std::vector<Worker>& all() const { return all_; }
  // Starts these and returns when all are ready or have ended; then all of them begin together.
  void start(const std::vector<std::size_t>& which);
  // Waits up to timeout_ms for something to happen.
  void wait(int timeout_ms);
  std::size_t running(std::size_t first, std::size_t last) const;
  std::size_t size() const { return all_.size(); }
  std::vector<records::WorkerRecord*> records() const;  // of all, in their order
  WorkerViews views() const;
  // Workers started from now on write every I/O down; null: they do not.
  void write_stamps_to(records::StampLogs* logs) { stamps_ = logs; }
  // Workers started from now on divide their I/Os as they end; null: they do not.
  void split_at(split::Desk* desk) { desk_ = desk; }
  // Where workers started from now on leave the rows of their logs; null: no job has logs.
  void write_logs_to(logs::LogRings* logs) { logs_ = logs; }
  // What workers started from now on keep the states of their writes in; null: nobody does.
  void keep_states_in(VerifyStates* states) { states_ = states; }
  // Workers started from now on ask before their first write; empty: they do not.
  void ask_before_writing(files::DescriptorLook look) { may_write_ = std::move(look); }
  // How long one that was asked to end may take; then its process is killed.
  void give_up_after(std::uint64_t ns) { give_up_ns_ = ns; }
  // Kills what still runs (second interrupt).
  void kill_all();
  // Asks one to stop, as if its time were over; or because of what it did not keep, which is an error.
  void stop_one(std::size_t index) { stops_[index].store(1); }
  void end_with_error(std::size_t index, std::string why);
  // Asks to stop: those of the group, those that have started, or all. Only a flag: they drain by themselves.
  void stop_others(job::fields::ExitWhat whom, int group_id);
  // Asks jobs that end with the others (io::EngineEffects) to stop, when only such are left of those that started together.
  void end_companions(std::size_t first, std::size_t last);
  // What is to be said of workers that did not start, or were killed.
  const std::vector<result::Finding>& findings() const { return findings_; }

 private:
  void give_up_on_stuck();
  void give_places();
  // A worker is gone: what others share with it is theirs.
  void leave(std::size_t index);
  void refuse(std::size_t index, int err);
  void tell_refused(const std::vector<std::size_t>& which);
  void record_death(std::size_t index, const worker::End& end);
  void start_one(std::uint32_t index, worker::Steps& go);
  void look(int timeout_ms);

  base::system::SharedArray<records::WorkerRecord> records_;
  base::system::SharedArray<std::atomic<std::uint32_t>> stops_;  // one each, so that exitall can stop a group
  std::atomic<std::uint32_t>& stop_;
  std::vector<Worker> all_;
  std::uint64_t give_up_ns_ = ~0ull;
  records::StampLogs* stamps_ = nullptr;
  split::Desk* desk_ = nullptr;
  logs::LogRings* logs_ = nullptr;
  VerifyStates* states_ = nullptr;
  files::DescriptorLook may_write_;
  std::vector<records::TaskLimit> limits_;  // as they were when the first worker of a stage was refused
  std::vector<result::Finding> findings_;
  base::system::SharedArray<worker::Steps> go_;  // by the first of those that begin together
  watch::Flows flows_;
  base::system::SharedArray<records::WorkerRecord> lanes_;
  loop::Claims claims_;
  worker::Group group_;  // last: it waits for those who use the rest
};

}  // namespace fathom::run
