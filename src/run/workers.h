// The workers of one run, each a process or a thread (worker/group.h): their inputs, their common start, the requests
// to stop, and the findings about workers that did not start or were killed. The record of such a worker remains: its
// measurements are still reported. Thread rule: the thread that created this object.
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
#include "run/gates/claims.h"
#include "run/gates/zone_tables.h"
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
  std::span<records::WorkerRecord> lanes;   // io_submit_mode=offload: `record` is their sum
  std::size_t first_place = 0, places = 0;  // among the claims
  clock::sources::Calibration calibration;
  loop::LoopFunction loop = nullptr;
  bool started = false, ended = false;
  int refused = 0;             // errno of the failed fork or thread start
  bool failure_said = false;   // reported to the listener
  std::uint64_t asked_ns = 0;  // time of the request to end; 0: no request
  bool given_up = false;       // it did not end in time
  std::string verdict;         // why the parent ended it with an error; empty: it did not
  bool end_seen = false;       // exitall: the jobs that end with it have got the request
  sampling::WorkerSeries series;
  outcome::DepthSamples depth;
  void look_at_depth();
  std::vector<const records::WorkerRecord*> lane_records() const;
};

class Workers {
 public:
  Workers(std::vector<files::Plan>& plans, loop::LoopFinder find_loop, const process::RunClocks& clocks,
          std::atomic<std::uint32_t>& stop);
  ~Workers();  // workers that have not begun yet will not begin
  Workers(const Workers&) = delete;

  std::vector<Worker>& all() { return all_; }
  const std::vector<Worker>& all() const { return all_; }
  // Starts these workers and returns when all are ready or have ended; then all of them begin together.
  void start(const std::vector<std::size_t>& which);
  // Waits up to timeout_ms for an event.
  void wait(int timeout_ms);
  std::size_t running(std::size_t first, std::size_t last) const;
  std::size_t size() const { return all_.size(); }
  std::vector<records::WorkerRecord*> records() const;  // of all workers, in their order
  WorkerViews views() const;
  // Workers started from now on record every I/O; null: no.
  void write_stamps_to(records::StampLogs* logs) { stamps_ = logs; }
  // Workers started from now on attribute the time of their I/Os at completion; null: no.
  void split_at(split::Desk* desk) { desk_ = desk; }
  // Workers started from now on put their log rows there; null: no job has logs.
  void write_logs_to(logs::LogRings* logs) { logs_ = logs; }
  // Workers started from now on keep the states of their writes there; null: no states.
  void keep_states_in(VerifyStates* states) { states_ = states; }
  // Workers started from now on call `look` before their first write; empty: no check.
  void ask_before_writing(files::DescriptorLook look) { may_write_ = std::move(look); }
  // Workers started from now on share these zones; nullptr: no job uses zones.
  void share_zones(gates::ZoneTables* zones) { zones_ = zones; }
  // For a job whose windows are known only when it begins.
  base::Expected<void> find_zones(std::size_t index);
  // The parent kills the process of a worker that has not ended this long after the request to end.
  void give_up_after(std::uint64_t ns) { give_up_ns_ = ns; }
  // Kills all running workers (second interrupt).
  void kill_all();
  // stop_one() requests an end as if the time were over; end_with_error() records `why` as an error.
  void stop_one(std::size_t index) { stops_[index].store(1); }
  void end_with_error(std::size_t index, std::string why);
  // Requests the group, the started workers, or all workers to stop. This only sets a flag: they drain on their own.
  void stop_others(job::fields::ExitWhat whom, int group_id);
  // When only companions (io::EngineEffects) are left of the jobs that started together, requests them to stop.
  void end_companions(std::size_t first, std::size_t last);
  // Findings about workers that did not start, or were killed.
  const std::vector<result::Finding>& findings() const { return findings_; }

 private:
  void give_up_on_stuck();
  void give_places();
  // A worker has ended: frees its part of the shared resources for the others.
  void leave(std::size_t index);
  void refuse(std::size_t index, int err);
  void tell_refused(const std::vector<std::size_t>& which);
  void record_death(std::size_t index, const worker::End& end);
  void start_one(std::uint32_t index, worker::Steps& go);
  void look(int timeout_ms);

  base::system::SharedArray<records::WorkerRecord> records_;
  base::system::SharedArray<std::atomic<std::uint32_t>> stops_;  // one per worker, so that exitall can stop a group
  std::atomic<std::uint32_t>& stop_;
  std::vector<Worker> all_;
  std::uint64_t give_up_ns_ = ~0ull;
  records::StampLogs* stamps_ = nullptr;
  split::Desk* desk_ = nullptr;
  logs::LogRings* logs_ = nullptr;
  VerifyStates* states_ = nullptr;
  gates::ZoneTables* zones_ = nullptr;
  files::DescriptorLook may_write_;
  std::vector<records::TaskLimit> limits_;  // at the time when the first worker of a stage was refused
  std::vector<result::Finding> findings_;
  base::system::SharedArray<worker::Steps> go_;  // indexed by the first worker of those that begin together
  watch::Flows flows_;
  base::system::SharedArray<records::WorkerRecord> lanes_;
  gates::Claims claims_;
  worker::Group group_;  // last: its destructor waits for the users of the other members
};

}  // namespace fathom::run
