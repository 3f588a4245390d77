// --debug=io: a line for each I/O that was completed, as fio writes them and its own tests read them. Workers put their
// I/Os into the rings of --breakdown; a thread beside the run turns them into lines. What comes faster than it can be
// written is left out, and counted. Thread rule: the main thread.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "run/records/stamp_log.h"
#include "run/runner.h"
#include "session/jobs.h"

namespace fathom::cli::run_commands {

class DebugIo : public session::StampReader {
 public:
  // jobs: by number, from 0; empty: all.
  DebugIo(std::span<const run::files::Plan> plans, std::span<const std::uint32_t> jobs);
  ~DebugIo() override { DebugIo::end(); }
  DebugIo(const DebugIo&) = delete;
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
  std::vector<Source> sources_;
  std::atomic<bool> over_{false};
  std::uint64_t number_ = 0;
  std::thread thread_;
};

}  // namespace fathom::cli::run_commands
