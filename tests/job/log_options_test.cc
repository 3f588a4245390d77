// write_*_log= and log_*=: what stands in the job, and what is refused.
#include <gtest/gtest.h>

#include "job/fields/logs.h"
#include "job/fields/report_as.h"
#include "support.h"

namespace fathom::job {
namespace {

fields::Logs logs_of(const std::string& lines) {
  const auto set = parse_job_text("[a]\nsize=1m\n" + lines + "\n", "t.fio", World{}.env());
  EXPECT_TRUE(set.ok()) << lines;
  return set.ok() ? set->jobs[0].of<fields::Logs>() : fields::Logs{};
}

std::string refused(const std::string& lines) {
  const auto set = parse_job_text("[a]\nsize=1m\n" + lines + "\n", "t.fio", World{}.env());
  return set.ok() ? "" : set.error().what;
}

TEST(LogOptions, WriteLogOptionsTakeAnOptionalPrefix) {
  EXPECT_FALSE(logs_of("").any());
  EXPECT_EQ(logs_of("write_bw_log").bw, "");
  EXPECT_EQ(logs_of("write_bw_log=").bw, "");
  EXPECT_EQ(logs_of("write_iops_log=p").iops, "p");
  EXPECT_EQ(logs_of("write_lat_log=d/p").lat, "d/p");
  EXPECT_EQ(logs_of("write_hist_log=0").hist, "0");
}

TEST(LogOptions, OnACommandLineTheNextWordMayBeThePrefix) {
  const auto env = World{}.env();
  const std::vector<std::string> words{"--name=a", "--size=1m",       "--write_bw_log",
                                       "p",        "--write_lat_log", "--write_iops_log=q"};
  const auto command = parse_command(words, env);
  ASSERT_TRUE(command.ok());
  const auto& logs = command->jobs.jobs[0].of<fields::Logs>();
  EXPECT_EQ(logs.bw, "p");
  EXPECT_EQ(logs.lat, "");
  EXPECT_EQ(logs.iops, "q");
}

TEST(LogOptions, AliasesSetTheSameOptions) {
  EXPECT_EQ(logs_of("log_max_value=1").window_value, fields::WindowValue::maximum);
  EXPECT_EQ(logs_of("log_window_value=both").window_value, fields::WindowValue::both);
  EXPECT_EQ(logs_of("log_window_value=0").window_value, fields::WindowValue::average);
  EXPECT_TRUE(logs_of("log_unix_epoch=1").alternate_epoch);
}

TEST(LogOptions, LogAvgMsecSetsTheReportsSampleWindows) {
  const auto windows = [](const std::string& lines) {
    const auto set = parse_job_text("[a]\nsize=1m\n" + lines + "\n", "t.fio", World{}.env());
    EXPECT_TRUE(set.ok()) << lines;
    const auto as = set.ok() ? set->jobs[0].of<fields::ReportAs>() : fields::ReportAs{};
    return std::pair(as.bw_window_ms, as.iops_window_ms);
  };
  EXPECT_EQ(windows("write_bw_log=p\nlog_avg_msec=100"), std::pair(100u, 500u));
  EXPECT_EQ(windows("write_iops_log=p\nlog_avg_msec=700"), std::pair(500u, 700u));
  EXPECT_EQ(windows("write_bw_log=p\nwrite_iops_log=p\nlog_avg_msec=200\nbwavgtime=100\niopsavgtime=300"),
            std::pair(100u, 200u));
  EXPECT_EQ(windows("write_lat_log=p\nlog_avg_msec=100"), std::pair(500u, 500u)) << "of no rate";
  EXPECT_EQ(windows("write_bw_log=p"), std::pair(500u, 500u)) << "a line for each I/O";
}

TEST(LogOptions, InvalidCombinationsAreRefused) {
  EXPECT_EQ(refused("write_lat_log=p\nlog_issue_time=1"),
            "log_issue_time option requires write_lat_log and log_offset options");
  EXPECT_EQ(refused("write_lat_log=p\nlog_issue_time=1\nlog_offset=1"), "");
  EXPECT_EQ(refused("log_alternate_epoch=1\nlog_alternate_epoch_clock_id=99"), "clock 99 does not exist");
  EXPECT_EQ(refused("log_alternate_epoch_clock_id=99"), "") << "nobody asks for it";
  for (const char* wrong : {"log_avg_msec=abc", "log_hist_coarseness=7", "log_entries=10", "log_compression=100",
                            "log_window_value=mean", "log_compression_cpus=x"})
    EXPECT_NE(refused(wrong), "") << wrong;
}

}  // namespace
}  // namespace fathom::job
