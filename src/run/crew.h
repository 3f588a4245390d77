// The workers of one run: starting them (a forked process, or a thread with thread=1), their common start, and their
// end, however it comes. A process that dies by a signal leaves its record behind: what it had measured is still
// reported. When the parent dies, so do they.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "base/shared_memory.h"
#include "clock/calibration.h"
#include "result/result.h"
#include "run/clock_choice.h"
#include "run/context.h"
#include "run/delivery.h"
#include "run/limits.h"
#include "run/sampler.h"
#include "run/targets.h"
#include "run/worker.h"

namespace fathom::run {

struct Member {
  Plan* plan = nullptr;
  WorkerRecord* record = nullptr;
  clock::Calibration calibration;
  LoopFunction loop = nullptr;
  pid_t pid = 0;  // 0: thread or not started
  std::thread thread;
  bool started = false, ended = false, killed = false;
  int refused = 0;            // errno of the fork or of the thread's start
  bool failure_said = false;  // to the listener
  WorkerSeries series;
  DepthSamples depth;
  void look_at_depth();
};

class Crew {
 public:
  Crew(std::vector<Plan>& plans, LoopFinder find_loop, const RunClocks& clocks, std::atomic<std::uint32_t>& stop);
  ~Crew();
  Crew(const Crew&) = delete;

  std::vector<Member>& members() { return members_; }
  const std::vector<Member>& members() const { return members_; }
  // Starts members [first, last) and returns when all are ready or have ended; then all of them begin together.
  void start(std::size_t first, std::size_t last);
  // Waits up to timeout_ms for something to happen; true when a member ended.
  bool wait(int timeout_ms);
  std::size_t running(std::size_t first, std::size_t last) const;
  std::size_t size() const { return members_.size(); }
  // Workers started from now on write every I/O down; null: they do not.
  void write_stamps_to(StampLogs* logs) { stamps_ = logs; }
  // Workers started from now on ask before their first write; empty: they do not.
  void ask_before_writing(DescriptorLook look) { may_write_ = std::move(look); }
  // Kills what still runs (second interrupt).
  void kill_all();
  // exitall: asks the members of a group to stop. Only a flag: they drain by themselves.
  void stop_group(int group_id);
  // What is to be said of workers that did not start, or were killed.
  const std::vector<result::Finding>& findings() const { return findings_; }

 private:
  void fail_stage(std::size_t first, std::size_t last, int err);
  void refuse(Member& member, int err);
  void tell_refused(std::size_t first, std::size_t last);
  void record_death(Member& member, int status);
  void start_one(std::uint32_t index, int go_read, int go_write);
  void start_thread(Member& member, const WorkerSetup& setup);
  void start_process(Member& member, const WorkerSetup& setup, int go_write);
  void read_events(int timeout_ms);
  void reap_dead();

  base::SharedArray<WorkerRecord> records_;
  base::SharedArray<std::atomic<std::uint32_t>> stops_;  // one a member, so that exitall can stop a group
  std::atomic<std::uint32_t>& stop_;
  std::vector<Member> members_;
  StampLogs* stamps_ = nullptr;
  DescriptorLook may_write_;
  std::vector<TaskLimit> limits_;  // as they were when the first worker of a stage was refused
  std::vector<result::Finding> findings_;
  base::UniqueFd events_read_, events_write_;
  base::UniqueFd go_;  // read end of the stage's start signal: threads block in read() on it
};

}  // namespace fathom::run
