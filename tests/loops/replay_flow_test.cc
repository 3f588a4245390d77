// Replays of small iologs on the fake clock, and write_iolog read back.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "loops/flow.h"

namespace fathom::loops {
namespace {

class ReplayFlow : public ::testing::Test {
 protected:
  ReplayFlow() : folder_(quick_folder()) {}
  ~ReplayFlow() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }
  std::string trace(const std::string& lines, int version = 3) const {
    std::ofstream(file("log")) << "fio version " << version << " iolog\n" << lines;
    return file("log");
  }
  // On the sim engine, whose I/O takes 100 us.
  result::Run replay(const std::string& lines, const std::string& more = "", int version = 3) const {
    return run_text("[t]\nioengine=sim\nsim_latency=const:100us\nread_iolog=" + trace(lines, version) + "\n" + more);
  }
  std::string folder_;
};

const result::Replay& replayed(const result::Run& run) {
  static const result::Replay kNone;
  EXPECT_FALSE(run.jobs.empty());
  return run.jobs.empty() || !run.jobs[0].replay ? kNone : *run.jobs[0].replay;
}

constexpr const char* kThreeReads =
    "0 f add\n0 f open\n1000 f read 0 4096\n3000 f read 8192 4096\n1500000 f write 4096 512\n1500100 f close\n";

TEST_F(ReplayFlow, EveryIoStartsAtItsRecordedTime) {
  const auto run = replay(kThreeReads);
  const auto& r = replayed(run);
  EXPECT_EQ(run.jobs[0].dirs[0].ios, 2u);
  EXPECT_EQ(run.jobs[0].dirs[1].ios, 1u);
  EXPECT_EQ(run.jobs[0].dirs[1].bytes, 512u);
  EXPECT_EQ(r.format, "iolog-3");
  EXPECT_EQ(r.pace, "recorded times");
  EXPECT_EQ(r.trace_ios, 3u);
  EXPECT_EQ(r.replayed_ios, 3u);
  EXPECT_TRUE(r.to_the_end);
  EXPECT_EQ(r.recorded_ns, 1'500'000'000u);
  EXPECT_EQ(r.replayed_ns, 1'500'000'000u);
  EXPECT_EQ(r.lateness.moments_ns.n, 3u);
  EXPECT_EQ(r.lateness.moments_ns.max, 0u);
  EXPECT_EQ(r.last_late_ns, 0u);
  EXPECT_EQ(r.recorded_ios, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(r.achieved_ios, r.recorded_ios);
  EXPECT_EQ(r.started_out_of_order, 0u);
  EXPECT_TRUE(r.skipped.empty());
}

TEST_F(ReplayFlow, ABusyTargetMakesIosLate) {
  const auto run = replay("0 f add\n0 f open\n10 f read 0 4096\n10 f read 0 4096\n20 f read 0 4096\n");
  const auto& r = replayed(run);
  EXPECT_EQ(r.lateness.moments_ns.max, 190'000u);  // the third waits for both, of 100 us each
  EXPECT_EQ(r.last_late_ns, 190'000u);
  EXPECT_EQ(r.late_ios, 0u);
  const auto deep = replay("0 f add\n0 f open\n10 f read 0 4096\n10 f read 0 4096\n20 f read 0 4096\n", "iodepth=4\n");
  EXPECT_EQ(replayed(deep).lateness.moments_ns.max, 0u);
  EXPECT_EQ(replayed(deep).depth, 4u);
}

// effect: replay_time_scale
TEST_F(ReplayFlow, HalfTheRateTakesTwiceTheTime) {
  const auto run = replay(kThreeReads, "replay_time_scale=50\n");
  EXPECT_EQ(replayed(run).replayed_ns, 3'000'000'000u);
  EXPECT_EQ(replayed(run).time_scale_percent, 50u);
}

// effect: replay_no_stall
TEST_F(ReplayFlow, NoStallIssuesAsFastAsPossible) {
  const auto run = replay(kThreeReads, "replay_no_stall=1\n");
  EXPECT_EQ(replayed(run).replayed_ns, 200'000u);
  EXPECT_EQ(replayed(run).pace, "no stall");
  EXPECT_EQ(replayed(run).lateness.moments_ns.n, 0u);
}

// effect: replay_skip
TEST_F(ReplayFlow, SkippedKindsAreNamed) {
  const auto run = replay(kThreeReads, "replay_skip=read,sync\n");
  const auto& r = replayed(run);
  EXPECT_EQ(run.jobs[0].dirs[0].ios, 0u);
  EXPECT_EQ(run.jobs[0].dirs[1].ios, 1u);
  EXPECT_EQ(r.replayed_ns, 1'500'000'000u);  // the pauses of the reads are kept
  ASSERT_EQ(r.skipped.size(), 1u);
  EXPECT_EQ(r.skipped[0].records, 2u);
  EXPECT_EQ(r.skipped[0].reason, "reads, by replay_skip");
}

// effect: replay_wait
TEST_F(ReplayFlow, VersionTwoHasFiosWaitsOrThoseOfTheManual) {
  const char* const log =
      "f add\nf open\nf read 0 4096\nf wait 20 0\nf read 4096 4096\nf wait 500 0\nf read 0 512\nf close\n";
  const auto fios = replay(log, "", 2);
  EXPECT_EQ(replayed(fios).replayed_ns, 500'000'000u);
  EXPECT_EQ(replayed(fios).wait, "start_ms");
  const auto manual = replay(log, "replay_wait=previous_us\n", 2);
  EXPECT_EQ(replayed(manual).replayed_ns, 520'000u);
  EXPECT_EQ(replayed(manual).wait, "previous_us");
}

TEST_F(ReplayFlow, ATraceWithoutTimesIsNotPaced) {
  const auto run = replay("f add\nf open\nf read 0 4096\nf read 4096 4096\nf close\n", "", 2);
  EXPECT_EQ(replayed(run).pace, "no times");
  EXPECT_EQ(replayed(run).replayed_ns, 100'000u);
}

TEST_F(ReplayFlow, ZeroLengthsAndTimesThatGoBackAreCounted) {
  const auto run = replay("0 f add\n0 f open\n500 f read 0 4096\n600 f read 0 0\n200 f read 4096 4096\n");
  const auto& r = replayed(run);
  EXPECT_EQ(run.jobs[0].dirs[0].ios, 2u);
  EXPECT_EQ(r.times_back, 1u);
  ASSERT_EQ(r.skipped.size(), 1u);
  EXPECT_EQ(r.skipped[0].records, 1u);
}

// effect: read_iolog_chunked
TEST_F(ReplayFlow, AChunkedTraceIsNotExaminedBefore) {
  const auto run = replay(kThreeReads, "read_iolog_chunked=1\n");
  EXPECT_EQ(replayed(run).trace_ios, std::nullopt);
  EXPECT_EQ(replayed(run).replayed_ios, 3u);
}

// effect: read_iolog
TEST_F(ReplayFlow, CopiesOfAJobReplayTracesInTurn) {
  std::ofstream(file("a")) << "fio version 3 iolog\n0 f add\n0 f open\n5 f read 0 4096\n";
  std::ofstream(file("b")) << "fio version 3 iolog\n0 f add\n0 f open\n5 f write 0 4096\n6 f write 0 4096\n";
  const auto run = run_text("[t]\nioengine=sim\nnumjobs=2\nread_iolog=" + file("a") + ":" + file("b") + "\n");
  ASSERT_EQ(run.jobs.size(), 2u);
  EXPECT_EQ(run.jobs[0].dirs[0].ios, 1u);
  EXPECT_EQ(run.jobs[1].dirs[1].ios, 2u);
}

TEST_F(ReplayFlow, OptionsThatTheTraceDecidesAreNoted) {
  const auto jobs = parse_jobs("[t]\nioengine=null\nrw=randwrite\nbs=8k\nsize=1m\nloops=3\nread_iolog=x\n");
  ASSERT_EQ(jobs.jobs.size(), 1u);
  EXPECT_EQ(jobs.jobs[0].ignored.size(), 3u);  // rw, size, loops
  EXPECT_EQ(jobs.jobs[0].loops, 1u);
  EXPECT_FALSE(jobs.jobs[0].mode.writes);
}

TEST_F(ReplayFlow, BadTracesAreRefusedBeforeTheStart) {
  const auto refused = [&](const std::string& text) {
    const auto plans = run::plan_jobs(parse_jobs(text));
    return plans.ok() ? std::string("accepted") : plans.error().what + ": " + plans.error().cause;
  };
  EXPECT_NE(refused("[t]\nioengine=null\nread_iolog=" + file("none") + "\n"), "accepted");
  EXPECT_NE(refused("[t]\nioengine=null\nread_iolog=" + trace("1 f read 0\n") + "\n"), "accepted");
  EXPECT_NE(refused("[t]\nioengine=null\nread_iolog=" + trace("0 f add\n0 f open\n0 f close\n") + "\n"), "accepted");
  const auto device =
      refused("[t]\nread_iolog=" + trace("0 /dev/none add\n0 /dev/none open\n1 /dev/none read 0 512\n") + "\n");
  EXPECT_NE(device.find("/dev/none"), std::string::npos) << device;
}

TEST_F(ReplayFlow, ReadsReachAFileThatIsLaidOut) {
  const auto f = file("data");
  const auto run = run_text(
      "[t]\nread_iolog=" +
      trace("0 " + f + " add\n0 " + f + " open\n5 " + f + " read 8192 4096\n6 " + f + " write 0 512\n") + "\n");
  ASSERT_EQ(run.jobs.size(), 1u);
  EXPECT_EQ(run.jobs[0].error, 0);
  EXPECT_EQ(run.jobs[0].dirs[0].bytes, 4096u);
  EXPECT_EQ(std::filesystem::file_size(f), 12288u);
}

std::string text_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

// effect: write_iolog
TEST_F(ReplayFlow, ALogHasTheIosThatItsReplayHas) {
  const auto f = file("data");
  const auto run =
      run_text("[t]\nfilename=" + f + "\nsize=64k\nrw=randwrite\nfdatasync=4\nwrite_iolog=" + file("log") + "\n");
  ASSERT_EQ(run.jobs.at(0).error, 0);
  const std::string log = text_of(file("log"));
  EXPECT_TRUE(log.starts_with("fio version 3 iolog\n0 " + f + " add\n")) << log.substr(0, 200);
  EXPECT_NE(log.find(" datasync 0 0\n"), std::string::npos);
  const auto again =
      run_text("[t]\nread_iolog=" + file("log") + "\nreplay_no_stall=1\nwrite_iolog=" + file("log2") + "\n");
  EXPECT_EQ(again.jobs.at(0).dirs[1].ios, run.jobs[0].dirs[1].ios);
  EXPECT_EQ(again.jobs.at(0).sync_ios, run.jobs[0].sync_ios);
  const auto without_times = [](const std::string& text) {
    std::istringstream lines(text);
    std::string out, line;
    while (std::getline(lines, line)) out += line.substr(line.find(' ')) + "\n";
    return out;
  };
  EXPECT_EQ(without_times(text_of(file("log2"))), without_times(log));
}

TEST_F(ReplayFlow, ANameThatNoReaderTakesBackIsRefused) {
  std::vector<base::Error> said;
  run_text("[t]\nfilename=" + file("two words") + "\nsize=4k\nrw=write\nwrite_iolog=" + file("log") + "\n",
           {.said = &said});
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].what.find("iolog"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file("log")));
}

}  // namespace
}  // namespace fathom::loops
