// What comes back of a command's jobs is complete, and so is every repetition of it.
#include "session/jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "audit/machine/build_checks.h"
#include "base/system/shared_memory.h"
#include "job/command.h"
#include "result/result.h"
#include "run/files/targets.h"
#include "run/process/clock_choice.h"
#include "run/records/stamp_log.h"

namespace fathom::session {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Of a command line on the controller in software.
class SessionJobs : public testing::Test {
 protected:
  result::Run run(std::vector<std::string> words, bool fio_mode = false) {
    // The CPU clock also where the kernel has another one: what is said of it is looked for.
    const std::vector<std::string> common{"--ioengine=nvme", "--thread",    "--rw=read",        "--bs=4k",
                                          "--size=256k",     "--audit=off", "--clocksource=cpu"};
    words.insert(words.begin(), common.begin(), common.end());
    words.insert(words.begin(), "--name=j");
    auto command = job::parse_command(words, job::Environment::of_this_process());
    EXPECT_TRUE(command.ok()) << command.error().what;
    const result::Program program{.name = fio_mode ? "fio" : "fathom", .version = "1.2"};
    const audit::machine::BuildFacts build{};
    Listener listener = heard_;
    listener.name = program.name;
    const auto clocks = run::process::untested_clocks();
    auto prepared = prepare({*command, program, build, fio_mode, &clocks});
    EXPECT_TRUE(prepared.ok()) << prepared.error().what;
    return execute(*prepared, listener, stop_[0]);
  }
  std::atomic<std::uint32_t>& stop() { return stop_[0]; }

  // What a test wants to hear it sets; by default it is heard and forgotten.
  Listener heard_{.name = "",
                  .on_settle = {},
                  .on_progress = {},
                  .on_second = {},
                  .on_layout = {},
                  .on_error = [](const base::Error&) {},
                  .on_line = {},
                  .on_announcement = [](const std::string&) {},
                  .status_asked = [] { return false; },
                  .on_status = [](const result::Run&) {},
                  .on_measured = [] {},
                  .read_stamps = {}};

 private:
  base::system::SharedArray<std::atomic<std::uint32_t>> stop_{1};
};

void expect_complete(const result::Run& run) {
  EXPECT_NE(run.host.hostname, "");
  EXPECT_THAT(run.findings, Contains(Field(&result::Finding::id, "clock.check_skipped")));
  ASSERT_EQ(run.jobs.size(), 1u);
  ASSERT_TRUE(run.jobs[0].queue && run.jobs[0].queue->devices.size() == 1);
  EXPECT_NE(run.jobs[0].queue->devices[0].model, "");
}

TEST_F(SessionJobs, EveryRepetitionIsComplete) {
  const auto shown = run({"--filename=soft:id=901,ideal", "--repeat=3"});
  expect_complete(shown);
  EXPECT_NE(shown.run_id, "");
  EXPECT_EQ(shown.program.version, "1.2");
  ASSERT_EQ(shown.repetitions.size(), 3u);
  for (const auto& repetition : shown.repetitions) expect_complete(repetition);
  EXPECT_THAT(shown.findings, Not(Contains(Field(&result::Finding::id, "run.repetition_failed"))));
}

// The device fails one command, the 101st: of the second repetition, whichever is shown.
TEST_F(SessionJobs, AnErrorInOneRepetitionIsReportedWithItsRepetition) {
  const auto shown = run({"--filename=soft:id=902,ideal,fault=status:after=100:sc=0x281", "--repeat=3"}, true);
  ASSERT_EQ(shown.repetitions.size(), 3u);
  const auto& failed = shown.repetitions[1];
  ASSERT_EQ(failed.errors.size(), 1u);
  EXPECT_THAT(failed.errors[0].message, StartsWith("fio: io_u error on file soft:"));
  EXPECT_EQ(failed.jobs[0].errors, failed.errors);
  EXPECT_EQ(failed.errors[0].offset_bytes, 36u * 4096);
  EXPECT_TRUE(shown.repetitions[0].errors.empty() && shown.repetitions[2].errors.empty());
  const bool is_shown = shown.jobs == failed.jobs;
  EXPECT_EQ(shown.errors.size(), is_shown ? 1u : 0u);
  const auto told = Contains(testing::AllOf(Field(&result::Finding::id, "run.repetition_failed"),
                                            Field(&result::Finding::evidence, HasSubstr("repetition 2"))));
  if (!is_shown) {
    EXPECT_THAT(shown.findings, told);
  }
}

// Whichever repetition it meets.
TEST_F(SessionJobs, AnInterruptInAnyRepetitionIsReportedOnce) {
  std::thread interrupt([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(450));
    stop().store(1);
  });
  const auto shown = run({"--filename=soft:id=904,ideal", "--time_based", "--runtime=300ms", "--repeat=9"});
  interrupt.join();
  EXPECT_TRUE(shown.interrupted);
  EXPECT_LT(shown.repetitions.size(), 9u);
  std::vector<std::string> said;
  for (const auto& finding : shown.findings)
    if (finding.id == "run.interrupted" || finding.id == "clock.check_skipped") said.push_back(finding.id);
  EXPECT_EQ(said, (std::vector<std::string>{"run.interrupted", "clock.check_skipped"}));
}

TEST_F(SessionJobs, AnErrorInEveryRepetitionIsReportedOnce) {
  const auto shown = run({"--filename=soft:id=903,ideal,queues=4", "--nvme_unused_queues=4", "--repeat=2"});
  ASSERT_EQ(shown.errors.size(), 1u);
  EXPECT_NE(shown.errors[0].remedy, "");
  ASSERT_TRUE(shown.errors[0].place);
  EXPECT_EQ(shown.errors[0].place->file, "<command line>");
  for (const auto& repetition : shown.repetitions) EXPECT_EQ(repetition.errors.size(), 1u);
  EXPECT_THAT(shown.findings, Not(Contains(Field(&result::Finding::id, "run.repetition_failed"))));
}

// Reads nothing: what matters is when it is called.
struct CountingReader : StampReader {
  CountingReader(std::size_t plans, std::vector<std::string>& calls) : logs(plans), said(calls) {}
  run::records::StampLogs* stamps() override { return &logs; }
  void begin() override { said.push_back("begin"); }
  void end() override { said.push_back("end"); }
  run::records::StampLogs logs;
  std::vector<std::string>& said;
};

TEST_F(SessionJobs, AStampReaderStartsAndEndsWithEachRepetition) {
  std::vector<std::string> calls;
  heard_.read_stamps = [&](std::span<const run::files::Plan> plans) {
    return std::make_unique<CountingReader>(plans.size(), calls);
  };
  heard_.on_measured = [&] { calls.push_back("measured"); };
  (void)run({"--filename=soft:id=903,ideal", "--repeat=2"});
  EXPECT_THAT(calls, testing::ElementsAre("begin", "end", "measured", "begin", "end", "measured"));
}

TEST_F(SessionJobs, TimedAMidRunReportIsComplete) {
  std::vector<result::Run> told;
  heard_.on_status = [&](const result::Run& so_far) { told.push_back(so_far); };
  (void)run({"--filename=soft:id=904,ideal", "--time_based", "--runtime=2500ms", "--status-interval=1"}, true);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told[0].program.name, "fio");
  EXPECT_NE(told[0].run_id, "");
  EXPECT_NE(told[0].host.hostname, "");
  ASSERT_EQ(told[0].jobs.size(), 1u);
  EXPECT_GT(told[0].jobs[0].dirs[0].ios, 0u);
}

TEST_F(SessionJobs, ASetupErrorReachesTheListener) {
  std::vector<std::string> errors;
  heard_.on_error = [&](const base::Error& error) { errors.push_back(error.what); };
  const auto shown = run({"--ioengine=psync", "--filename=/dev/null/file"});
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_THAT(errors[0], HasSubstr("/dev/null"));
  EXPECT_EQ(shown.errors.size(), 1u);
}

}  // namespace
}  // namespace fathom::session
