// The parent's part of logs: one thread takes rows out of all rings while the workers run, so that no worker has to
// write anywhere, and how often it looks follows from how full the rings were. When the jobs of a stage are over, their
// files are written. Made for runs with logs only.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "result/result.h"
#include "run/files/targets.h"
#include "run/logs/aggregate_log.h"
#include "run/logs/job_logs.h"

namespace fathom::run {

struct LogWishes {
  std::uint64_t memory_bytes = 0;  // for rows of single I/Os, of all jobs together; 0: a share of this machine's
  std::optional<std::string> bandwidth_log;  // of all jobs together: what its files' names begin with
};

class LogKeeper {
 public:
  // Plans whose logs could not be written fail. Null: no logs are wanted.
  static std::unique_ptr<LogKeeper> make(std::vector<files::Plan>& plans, const LogWishes& wishes);
  ~LogKeeper();
  LogKeeper(const LogKeeper&) = delete;

  logs::LogRings* rings() { return rings_ ? &*rings_ : nullptr; }
  // records: of all workers, in the plans' order. Until the keeper is destroyed.
  void begin(std::vector<records::WorkerRecord*> records);
  // These jobs have ended: their logs become files. What cannot be written is in their records.
  void write(std::size_t first, std::size_t last);
  // All have: what is to be said of logs.
  std::vector<result::Finding> end();

 private:
  LogKeeper(std::vector<files::Plan>& plans, const LogWishes& wishes);
  void take_rows();
  void look_at_all();
  void add_findings(const job::Job& job, const logs::JobLogs& logs);

  const std::vector<files::Plan>& plans_;
  const LogWishes wishes_;
  logs::LogBudget budget_;
  std::optional<logs::LogRings> rings_;
  std::vector<std::unique_ptr<logs::JobLogs>> logs_;  // of each plan; null: it has none, or they are written
  std::vector<records::WorkerRecord*> records_;
  std::optional<logs::AggregateLog> aggregate_;
  std::uint64_t next_look_ns_ = 0;
  std::vector<result::Finding> findings_;
  std::mutex lock_;  // of all above that the thread uses
  std::condition_variable wake_;
  bool takes_ = false, over_ = false;
  std::thread thread_;
};

}  // namespace fathom::run
