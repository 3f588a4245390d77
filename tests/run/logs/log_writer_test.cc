// A worker whose ring is full waits until rows are taken; none is lost, and the waiting is counted.
#include "run/logs/log_writer.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/time.h"
#include "job/fields/logs.h"
#include "run/logs/job_logs.h"

namespace fathom::run::logs {
namespace {

job::Job job_with_logs() {
  job::Job job;
  job.own.get<job::fields::Logs>().lat = "";
  return job;
}

TEST(LogWriter, AFullRingWaitsAndLosesNoRow) {
  base::system::SharedArray<records::WorkerRecord> record(1);
  LogRings rings(1);
  const auto job = job_with_logs();
  LogWriter writer(job, record[0], &rings, 0);
  const std::uint64_t slots = rings.ios(0).size(), n = 3 * slots;
  LogBudget budget{1 << 30};
  JobLogs logs(job, 1, rings, 0, budget);
  bool waited = false;
  std::thread worker([&] {
    for (std::uint64_t i = 0; i < n; ++i) waited |= writer.io({i, 0, {0, 0, 0}, 4096, io::Dir::read, 0});
  });
  while (rings.state(0).ios.head.load() < slots) base::sleep_ns(100'000);
  base::sleep_ns(20'000'000);  // in which the worker finds no room
  while (logs.rows().rows() < n) EXPECT_GE(logs.drain(), 0.0);
  worker.join();
  EXPECT_TRUE(waited);
  EXPECT_GE(rings.state(0).waits.load(), 1u);
  EXPECT_GE(rings.state(0).waited_ns.load(), 1'000'000u);
}

// effect: log_prio
TEST(LogWriter, LogPrioPrefersTheCommandsPriorityToTheJobs) {
  base::system::SharedArray<records::WorkerRecord> record(1);
  LogRings rings(1);
  auto job = job_with_logs();  // its rows have a column for it with log_prio
  job.engine.own.get<io::CmdprioOptions>().values = {{1, 0, 0}, {2, 5, 3}};
  const LogWriter writer(job, record[0], &rings, 0);
  const auto of = [&](unsigned number) {
    return writer.prio_of({.flags = static_cast<std::uint8_t>(number << io::kPriorityShift)});
  };
  EXPECT_EQ(of(0), 0u);
  EXPECT_EQ(of(1), 1u << 13);
  EXPECT_EQ(of(2), 2u << 13 | 3u << 3 | 5u);
}

TEST(LogWriter, AJobWithoutLogsWritesNone) {
  base::system::SharedArray<records::WorkerRecord> record(1);
  LogRings rings(1);
  EXPECT_FALSE(LogWriter(job::Job{}, record[0], &rings, 0).any());
  EXPECT_FALSE(LogWriter(job_with_logs(), record[0], nullptr, 0).any());
  auto reduced = job_with_logs();
  reduced.gtod_reduce = true;
  EXPECT_FALSE(LogWriter(reduced, record[0], &rings, 0).any());
}

}  // namespace
}  // namespace fathom::run::logs
