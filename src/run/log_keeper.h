// The parent's side of logs: one thread takes rows out of all rings while the workers run, so that no worker writes to
// a file. Its interval depends on how full the rings were. When the jobs of a stage have ended, it writes their files.
// Only runs with logs have a LogKeeper.
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
  std::uint64_t memory_bytes = 0;            // for rows of single I/Os, all jobs; 0: a share of this machine's memory
  std::optional<std::string> bandwidth_log;  // for all jobs together: prefix of the file names
};

class LogKeeper {
 public:
  // Marks plans as failed if their logs cannot be written. Null: no logs requested.
  static std::unique_ptr<LogKeeper> make(std::vector<files::Plan>& plans, const LogWishes& wishes);
  ~LogKeeper();
  LogKeeper(const LogKeeper&) = delete;

  logs::LogRings* rings() { return rings_ ? &*rings_ : nullptr; }
  // records: of all workers, in the plans' order; valid until the keeper is destroyed.
  void begin(std::vector<records::WorkerRecord*> records);
  // Call when these jobs have ended: writes their log files. Their records get the errors.
  void write(std::size_t first, std::size_t last);
  // Call when all jobs have ended: the findings about logs.
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
  std::vector<std::unique_ptr<logs::JobLogs>> logs_;  // by plan; null: the plan has no logs, or they are written
  std::vector<records::WorkerRecord*> records_;
  std::optional<logs::AggregateLog> aggregate_;
  std::uint64_t next_look_ns_ = 0;
  std::vector<result::Finding> findings_;
  std::mutex lock_;  // protects the members above that the thread uses
  std::condition_variable wake_;
  bool takes_ = false, over_ = false;
  std::thread thread_;
};

}  // namespace fathom::run
