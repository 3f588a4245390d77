// Which numbers and facts of a result become columns.
#include "history/entry.h"

#include <gtest/gtest.h>

#include "report/sample_run.h"

namespace fathom::history {
namespace {

constexpr std::size_t kBw = 0, kIops = 1, kP99 = 2, kCpu = 3;

result::Job job_of(const char* name, std::uint64_t ios, std::size_t dir = 0) {
  result::Job job;
  job.name = name, job.rw = "randread", job.engine = "io_uring", job.iodepth = 32;
  job.bs_min[dir] = job.bs_max[dir] = 4096;
  auto& d = job.dirs[dir];
  d.ios = ios, d.bytes = 4096 * ios, d.runtime_ns = 1'000'000'000;
  d.lat = d.clat = report::latency_of({100'000}, ios);
  job.job_runtime_ms = 1000;
  job.usr_cpu_percent = 10, job.sys_cpu_percent = 30;
  return job;
}

result::Run run_of(std::vector<result::Job> jobs) {
  result::Run run;
  run.run_id = "id", run.time_epoch_ms = 7;
  run.jobs = std::move(jobs);
  for (std::size_t i = 0; i < run.jobs.size(); ++i) run.jobs[i].section = static_cast<int>(i);
  return run;
}

const Part* part_of(const Entry& entry, const std::string& job, const std::string& direction) {
  for (const auto& part : entry.parts)
    if (part.job == job && part.direction == direction) return &part;
  return nullptr;
}

TEST(HistoryEntry, OneJobWithOneDirectionIsOnePart) {
  const auto entry = entry_of(run_of({job_of("a", 1000)}), "");
  EXPECT_EQ(entry.run_id, "id");
  EXPECT_EQ(entry.time_epoch_ms, 7u);
  EXPECT_EQ(entry.title, "a");
  EXPECT_EQ(entry.workload, "randread, 4 KiB, io_uring, iodepth 32");
  EXPECT_EQ(entry.unfit, "");
  ASSERT_EQ(entry.parts.size(), 1u);
  const auto* part = part_of(entry, "a", "read");
  ASSERT_NE(part, nullptr);
  EXPECT_DOUBLE_EQ(*part->numbers[kIops], 1000);
  EXPECT_DOUBLE_EQ(*part->numbers[kBw], 4096e3);
  EXPECT_NEAR(*part->numbers[kP99], 100'000, 1000);
  EXPECT_DOUBLE_EQ(*part->numbers[kCpu], 400'000) << "40 % of a second for 1000 I/Os";
  EXPECT_EQ(entry.whole, part->numbers);
}

TEST(HistoryEntry, CpuTimeOfAMixedJobBelongsToNoDirection) {
  auto job = job_of("a", 1000);
  job.dirs[1] = job.dirs[0];
  const auto entry = entry_of(run_of({job}), "");
  ASSERT_EQ(entry.parts.size(), 3u);
  EXPECT_FALSE(part_of(entry, "a", "read")->numbers[kCpu]);
  EXPECT_FALSE(part_of(entry, "a", "write")->numbers[kCpu]);
  const auto& all = part_of(entry, "a", "all")->numbers;
  EXPECT_DOUBLE_EQ(*all[kCpu], 200'000);
  EXPECT_FALSE(all[kIops]);
}

TEST(HistoryEntry, JobsAreParts) {
  const auto entry = entry_of(run_of({job_of("a", 1000), job_of("b", 3000, 1)}), "");
  EXPECT_EQ(entry.title, "a and 1 more");
  ASSERT_EQ(entry.parts.size(), 2u);
  EXPECT_DOUBLE_EQ(*part_of(entry, "b", "write")->numbers[kIops], 3000);
  EXPECT_DOUBLE_EQ(*part_of(entry, "b", "write")->numbers[kCpu], 400e6 / 3000);
  EXPECT_DOUBLE_EQ(*entry.whole[kIops], 4000);
}

TEST(HistoryEntry, JobsOfOneNameAreNumbered) {
  const auto entry = entry_of(run_of({job_of("a", 1000), job_of("b", 1000), job_of("a", 2000)}), "");
  ASSERT_NE(part_of(entry, "a#2", "read"), nullptr);
  EXPECT_DOUBLE_EQ(*part_of(entry, "a", "read")->numbers[kIops], 1000);
  EXPECT_DOUBLE_EQ(*part_of(entry, "a#2", "read")->numbers[kIops], 2000);
}

TEST(HistoryEntry, APacedJobHasTheLatencyFromTheIntendedStart) {
  auto job = job_of("a", 1000);
  job.rate.paced = true;
  job.dirs[0].intended_lat = report::latency_of({900'000}, 1000);
  EXPECT_NEAR(*entry_of(run_of({job}), "").whole[kP99], 900'000, 9000);
}

TEST(HistoryEntry, RepetitionsAreOneRunWithTheirMedian) {
  auto run = run_of({job_of("a", 1000)});
  for (const std::uint64_t ios : {1000u, 5000u, 1200u}) run.repetitions.push_back(run_of({job_of("a", ios)}));
  const auto entry = entry_of(run, "");
  ASSERT_EQ(entry.parts.size(), 1u);
  EXPECT_DOUBLE_EQ(*entry.parts[0].numbers[kIops], 1200);
  EXPECT_DOUBLE_EQ(*entry.whole[kIops], 1200);
}

TEST(HistoryEntry, AnInterruptedOrFailedRunIsUnfit) {
  auto run = run_of({job_of("a", 1000)});
  run.interrupted = true;
  EXPECT_EQ(entry_of(run, "").unfit, "the run was interrupted");
  run.interrupted = false, run.jobs[0].error = 5;
  EXPECT_EQ(entry_of(run, "").unfit, "job a ended with error 5");
  run.jobs[0].error = 0;
  run.repetitions = {run_of({job_of("a", 1000)}), run};
  run.repetitions[1].jobs[0].error = 28;
  EXPECT_EQ(entry_of(run, "").unfit, "job a ended with error 28");
}

TEST(HistoryEntry, ARunWithoutIosHasItsJob) {
  auto run = run_of({job_of("a", 1000)});
  run.jobs[0].dirs[0] = {};
  const auto entry = entry_of(run, "");
  ASSERT_EQ(entry.parts.size(), 1u);
  EXPECT_EQ(entry.parts[0].job, "a");
  EXPECT_EQ(entry.parts[0].numbers, Numbers{});
  EXPECT_NE(entry.unfit, "");
}

TEST(HistoryEntry, AResultOfAnotherProgramWithoutCpuTimeHasNone) {
  auto job = job_of("a", 1000);
  job.usr_cpu_percent = job.sys_cpu_percent = 0;
  EXPECT_FALSE(entry_of(run_of({job}), "").whole[kCpu]);
}

TEST(HistoryEntry, AResultWithoutAnIdIsNamedByItsText) {
  auto run = run_of({job_of("a", 1000)});
  run.run_id.clear();
  const auto one = entry_of(run, "text"), same = entry_of(run, "text"), other = entry_of(run, "tex");
  EXPECT_EQ(one.run_id, same.run_id);
  EXPECT_NE(one.run_id, other.run_id);
}

TEST(HistoryEntry, TheEnvironmentIsThatOfTheResult) {
  auto run = run_of({job_of("a", 1000)});
  run.host.hostname = "alpha", run.host.kernel = "6.1", run.host.cpus_online = 8, run.host.memory_bytes = 1ull << 34;
  run.host.devices = {
      {.target = "/x", .disk = "vda"}, {.target = "/y", .disk = "vda"}, {.target = "/z", .disk = "vdb"}};
  run.program.version = "0.1", run.program.commit = "abc";
  const auto environment = entry_of(run, "").environment;
  const auto fact = [&](std::string_view name) {
    for (std::size_t i = 0; i < kFacts.size(); ++i)
      if (kFacts[i] == name) return environment[i];
    return std::string("no such fact");
  };
  EXPECT_EQ(fact("host"), "alpha");
  EXPECT_EQ(fact("kernel"), "6.1");
  EXPECT_EQ(fact("cpus"), "8");
  EXPECT_EQ(fact("memory"), "16 GiB");
  EXPECT_EQ(fact("disks"), "vda, vdb");
  EXPECT_EQ(fact("program"), "fathom 0.1 (abc)");
  EXPECT_EQ(fact("governor"), "");
  EXPECT_EQ(environment[kHostFact], "alpha");
  EXPECT_EQ(environment[kProgramFact], "fathom 0.1 (abc)");
}

TEST(HistoryEntry, APagingRunHasItsAccesses) {
  result::Run run;
  run.run_id = "id";
  run.paging.emplace();
  run.paging->pattern = "uniform", run.paging->set_bytes = 1 << 20, run.paging->start_epoch_ms = 5;
  run.paging->score.accesses_per_s = 1e6;
  const auto entry = entry_of(run, "");
  EXPECT_EQ(entry.title, "paging uniform");
  EXPECT_EQ(entry.time_epoch_ms, 5u);
  ASSERT_EQ(entry.parts.size(), 1u);
  EXPECT_EQ(entry.parts[0].job, "paging uniform");
  EXPECT_EQ(entry.parts[0].direction, "access");
  EXPECT_EQ(entry.parts[0].numbers[kIops], 1e6);
  EXPECT_FALSE(entry.parts[0].numbers[kBw]);
}

}  // namespace
}  // namespace fathom::history
