// The timestamps of all I/Os during a run (--debug=io): workers write them to rings, and a separate thread passes them
// to a listener. It drops and counts those that arrive faster than it reads. Thread rule: the main thread.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "result/io_stamp.h"
#include "run/records/stamp_log.h"
#include "run/runner.h"
#include "session/jobs.h"

namespace fathom::session::jobs {

// Called on the feed's thread, and at the end on the main thread for the rest; never on both at once.
struct StampListener {
  // first: the number of the first timestamp, counted over all workers from 1.
  std::function<void(pid_t worker, std::uint64_t first, std::span<const result::IoStamp>, const run::files::Plan&)>
      on_stamps;
  std::function<void(pid_t worker, std::uint64_t lost)> on_lost;
};

class StampFeed : public StampReader {
 public:
  // jobs: by number, from 0; empty: all.
  StampFeed(std::span<const run::files::Plan> plans, std::span<const std::uint32_t> jobs, StampListener listener);
  ~StampFeed() override { StampFeed::end(); }
  StampFeed(const StampFeed&) = delete;
  run::records::StampLogs* stamps() override { return &logs_; }
  void begin() override;
  void end() override;

 private:
  struct Source {
    run::records::StampReader reader;
    const run::files::Plan* plan;
  };
  void drain();

  run::records::StampLogs logs_;
  StampListener listener_;
  std::vector<Source> sources_;
  std::atomic<bool> over_{false};
  std::uint64_t number_ = 0;
  std::thread thread_;
};

}  // namespace fathom::session::jobs
