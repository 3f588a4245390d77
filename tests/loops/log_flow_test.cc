// Logs of whole runs. On the sim engine each I/O takes 100 us, so every line is known beforehand.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/time.h"
#include "loops/flow.h"
#include "run/logs/log_samples.h"

namespace fathom::loops {
namespace {

using Line = std::vector<std::uint64_t>;
using Lines = std::vector<Line>;

class LogFlow : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "log-flow-" + std::to_string(::getpid());
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directory(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // PREFIX stands for a name in the directory.
  result::Run go(std::string text, FlowOptions flow = {}) const {
    for (auto at = text.find("PREFIX"); at != std::string::npos; at = text.find("PREFIX"))
      text.replace(at, 6, prefix());
    return run_text(text, flow);
  }
  std::string prefix() const { return directory_ + "/p"; }
  std::string content(const std::string& name) const {
    std::ifstream file(directory_ + "/" + name, std::ios::binary);
    EXPECT_TRUE(file) << name;
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
  }
  Lines lines(const std::string& name) const { return split(content(name)); }
  static Lines split(const std::string& text) {
    Lines lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      Line cells;
      std::istringstream row(line);
      for (std::string cell; std::getline(row, cell, ',');) cells.push_back(std::stoull(cell, nullptr, 0));
      lines.push_back(cells);
    }
    return lines;
  }
  bool there(const std::string& name) const { return std::filesystem::exists(directory_ + "/" + name); }

  std::string directory_;
};

const std::string kSim = "[t]\nioengine=sim\nsim_latency=const:100us\nbs=4k\n";

// effect: write_bw_log write_iops_log write_lat_log
TEST_F(LogFlow, WithoutLogAvgMsecEachIoHasALine) {
  go(kSim + "rw=read\nsize=400k\nwrite_bw_log=PREFIX\nwrite_iops_log=PREFIX\nwrite_lat_log=PREFIX\n");
  const auto clat = lines("p_clat.1.log"), bw = lines("p_bw.1.log");
  ASSERT_EQ(clat.size(), 100u);
  EXPECT_EQ(lines("p_lat.1.log"), clat);
  EXPECT_EQ(lines("p_slat.1.log").size(), 100u) << "sim has a queue";
  for (std::size_t i = 0; i < clat.size(); ++i) {
    EXPECT_EQ(clat[i], (Line{(i + 1) / 10, 100'000, 0, 4096, 0}));
    EXPECT_EQ(bw[i], (Line{(i + 1) / 10, 40'960, 0, 4096, 0}));
    EXPECT_EQ(lines("p_iops.1.log")[i], (Line{(i + 1) / 10, 1, 0, 4096, 0}));
  }
}

// effect: log_avg_msec
TEST_F(LogFlow, LogAvgMsecWritesALineForEachWindow) {
  go(kSim + "rw=write\nsize=1000k\nlog_avg_msec=5\nwrite_bw_log=PREFIX\nwrite_iops_log=PREFIX\nwrite_lat_log=PREFIX\n");
  EXPECT_EQ(lines("p_iops.1.log"), (Lines{{5, 10'000, 1, 0, 0},
                                          {10, 10'000, 1, 0, 0},
                                          {15, 10'000, 1, 0, 0},
                                          {20, 10'000, 1, 0, 0},
                                          {25, 10'000, 1, 0, 0}}));
  EXPECT_EQ(lines("p_bw.1.log")[4], (Line{25, 40'000, 1, 0, 0}));
  EXPECT_EQ(lines("p_clat.1.log")[0], (Line{5, 100'000, 1, 0, 0}));
}

TEST_F(LogFlow, TheLastWindowMayBeShorter) {
  go(kSim + "rw=read\nsize=440k\nlog_avg_msec=10\nwrite_iops_log=PREFIX\nwrite_lat_log=PREFIX\n");
  EXPECT_EQ(lines("p_iops.1.log"), (Lines{{10, 10'000, 0, 0, 0}, {11, 10'000, 0, 0, 0}}));
  EXPECT_EQ(lines("p_lat.1.log").size(), 2u);
}

// effect: log_window_value
TEST_F(LogFlow, LogWindowValueSelectsMeanMaximumOrBoth) {
  const auto of = [&](const std::string& log_window_value) {
    go("[t]\nioengine=sim\nsim_latency=two:100us:10ms:50%\nrandseed=3\nrw=read\nsize=400k\nlog_avg_msec=50\nwrite_lat_"
       "log=PREFIX\n"
       "log_window_value=" +
       log_window_value + "\n");
    return lines("p_clat.1.log").at(0);
  };
  const auto avg = of("avg"), max = of("max"), both = of("both");
  EXPECT_EQ(max.size(), 5u);
  EXPECT_EQ(max[1], 10'000'000u);
  EXPECT_GT(avg[1], 100'000u);
  EXPECT_LT(avg[1], 10'000'000u);
  EXPECT_EQ(both, (Line{avg[0], avg[1], max[1], 0, 0, 0}));
  EXPECT_EQ(of("1"), max);
  EXPECT_EQ(of("0"), avg);
}

// effect: log_prio
TEST_F(LogFlow, LogPrioWritesTheJobsPriority) {
  go(kSim + "rw=read\nsize=40k\nwrite_iops_log=PREFIX\nlog_prio=1\nprioclass=2\nprio=5\n");
  EXPECT_EQ(lines("p_iops.1.log").at(0), (Line{0, 1, 0, 4096, 0x4005}));
  go(kSim + "rw=read\nsize=40k\nwrite_iops_log=PREFIX\nprioclass=2\nprio=5\n");
  EXPECT_EQ(lines("p_iops.1.log").at(0), (Line{0, 1, 0, 4096, 0})) << "not of the real-time class";
}

// effect: log_offset log_issue_time
TEST_F(LogFlow, LogOffsetAndLogIssueTimeAddColumns) {
  go(kSim +
     "rw=read\nsize=40k\nwrite_lat_log=PREFIX\nwrite_iops_log=PREFIX\nlog_offset=1\nlog_prio=1\nlog_issue_time=1\n");
  const auto clat = lines("p_clat.1.log"), lat = lines("p_lat.1.log");
  ASSERT_EQ(clat.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(clat[i], (Line{(i + 1) / 10, 100'000, 0, 4096, i * 4096, 0, i * 100'000}));
    EXPECT_EQ(lat[i].back(), 0u);
  }
  EXPECT_NE(content("p_clat.1.log").find(", 0x0000, "), std::string::npos);
  go(kSim + "rw=read\nsize=40k\nwrite_iops_log=PREFIX\nlog_offset=1\n");
  EXPECT_EQ(lines("p_iops.1.log")[3], (Line{0, 1, 0, 4096, 3 * 4096, 0}));
}

// effect: log_alternate_epoch log_alternate_epoch_clock_id
TEST_F(LogFlow, LogAlternateEpochUsesTheGivenClock) {
  const auto first_ms = [&](const std::string& lines_of_epoch) {
    go(kSim + "rw=read\nsize=40k\nwrite_iops_log=PREFIX\n" + lines_of_epoch);
    return lines("p_iops.1.log").at(0).at(0);
  };
  const auto realtime_ms = base::epoch_ms(), monotonic_ms = base::monotonic_ns() / 1'000'000;
  EXPECT_LT(first_ms("log_alternate_epoch=0\nlog_alternate_epoch_clock_id=1\n"), 2u);
  EXPECT_NEAR(double(first_ms("log_alternate_epoch=1\n")), double(realtime_ms), 60'000);
  EXPECT_NEAR(double(first_ms("log_alternate_epoch=1\nlog_alternate_epoch_clock_id=1\n")), double(monotonic_ms),
              60'000);
}

// effect: write_hist_log log_hist_msec
TEST_F(LogFlow, HistogramsAddUpToAllIos) {
  go(kSim + "rw=read\nsize=1000k\nwrite_hist_log=PREFIX\nlog_hist_msec=10\n");
  const auto rows = lines("p_clat_hist.1.log");
  ASSERT_EQ(rows.size(), 3u);
  const std::size_t bucket = 3 + stats::bucket_of(100'000);
  EXPECT_EQ(rows[0].size(), 1859u);
  EXPECT_EQ(Line(rows[0].begin(), rows[0].begin() + 3), (Line{10, 0, 4096}));
  EXPECT_EQ(rows[0][bucket], 100u);
  EXPECT_EQ(rows[1][0], 20u);
  EXPECT_EQ(rows[1][bucket], 100u);
  EXPECT_EQ(rows[2][0], 25u);
  EXPECT_EQ(rows[2][bucket], 50u);
  go(kSim + "rw=read\nsize=1000k\nwrite_hist_log=PREFIX\nlog_hist_msec=10\nlog_hist_coarseness=3\n");
  EXPECT_EQ(lines("p_clat_hist.1.log")[0].size(), 3u + 232);
}

TEST_F(LogFlow, WithoutPerJobLogsAllJobsAppendToOneFile) {
  const std::string jobs =
      "[global]\nioengine=sim\nsize=40k\nnumjobs=2\nwrite_iops_log=PREFIX\nper_job_logs=0\n[a]\n[b]\nstonewall\n";
  go(jobs);
  EXPECT_EQ(lines("p_iops.log").size(), 40u);
  go(jobs);
  EXPECT_EQ(lines("p_iops.log").size(), 80u);
  go("[global]\nioengine=sim\nsize=40k\nnumjobs=2\nwrite_iops_log=PREFIX\n[a]\n[b]\nstonewall\n");
  EXPECT_TRUE(there("p_iops.1.log") && there("p_iops.4.log") && !there("p_iops.5.log"));
}

// effect: log_store_compressed
TEST_F(LogFlow, LogStoreCompressedHoldsTheSameLog) {
  const std::string job = kSim + "rw=randread\nsize=400k\nwrite_lat_log=PREFIX\nlog_offset=1\n";
  go(job);
  go(job + "log_store_compressed=1\nlog_compression=1k\n");
  const auto stored = content("p_clat.1.log.fz");
  EXPECT_LT(stored.size(), content("p_clat.1.log").size());
  EXPECT_EQ(*run::logs::inflate_log(stored), content("p_clat.1.log"));
}

TEST_F(LogFlow, TheRampIsInNoLog) {
  go(kSim + "rw=read\nsize=1m\ntime_based\nruntime=10ms\nramp_time=5ms\nwrite_lat_log=PREFIX\n");
  const auto lat = lines("p_lat.1.log");
  ASSERT_EQ(lat.size(), 100u);
  EXPECT_EQ(lat.front()[0], 0u);
  EXPECT_EQ(lat.back()[0], 10u);
}

TEST_F(LogFlow, EachIoOfABatchHasALine) {
  go("[t]\nioengine=sim\nsim_latency=const:100us\nrw=read\nsize=400k\niodepth=32\niodepth_batch=16\niodepth_batch_"
     "complete_min=16\nwrite_lat_log=PREFIX\nlog_offset=1\n");
  std::vector<std::uint64_t> offsets;
  for (const auto& line : lines("p_lat.1.log")) offsets.push_back(line[4]);
  std::sort(offsets.begin(), offsets.end());
  ASSERT_EQ(offsets.size(), 100u);
  for (std::size_t i = 0; i < offsets.size(); ++i) EXPECT_EQ(offsets[i], i * 4096);
}

TEST_F(LogFlow, AFailedJobKeepsTheLinesBeforeTheError) {
  go(kSim + "rw=read\nsize=400k\nnumber_ios=100\nsim_fail_every=50\nwrite_lat_log=PREFIX\n");
  EXPECT_EQ(lines("p_lat.1.log").size(), 49u);
}

TEST_F(LogFlow, WithGtodReduceLogsAreEmptyWithAFinding) {
  const auto run = go(kSim + "rw=read\nsize=40k\ngtod_reduce=1\nwrite_iops_log=PREFIX\nwrite_lat_log=PREFIX\n");
  EXPECT_EQ(content("p_iops.1.log"), "");
  EXPECT_FALSE(there("p_lat.1.log"));
  EXPECT_TRUE(
      std::any_of(run.findings.begin(), run.findings.end(), [](const auto& f) { return f.id == "log.no_stamps"; }));
}

TEST_F(LogFlow, AJobWhoseLogCannotBeWrittenDoesNotBegin) {
  const auto run = go(kSim + "rw=read\nsize=40k\nwrite_iops_log=/nonexistent/p\n[u]\nioengine=sim\nsize=40k\n");
  EXPECT_EQ(run.jobs.at(0).error, ENOENT);
  EXPECT_EQ(run.jobs.at(0).dirs[0].ios, 0u);
  EXPECT_EQ(run.jobs.at(1).dirs[0].ios, 10u);
}

}  // namespace
}  // namespace fathom::loops
