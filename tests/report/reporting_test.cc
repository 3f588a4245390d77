// What options of reporting change of fio's text and JSON. Expected texts are fio's own (3.42) where it writes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/formats.h"
#include "report/parts/derived.h"
#include "report/parts/numbers.h"
#include "sample_run.h"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// 256 reads of 4 KiB in a millisecond: what fio wrote of them with six figures.
result::Run quick_run() {
  auto run = simple_run();
  auto& job = run.jobs[0];
  job.dirs[1] = {};
  job.dirs[0].bytes = 1 << 20;
  job.dirs[0].ios = 256;
  job.dirs[0].runtime_ms = 1;
  run.groups = {sample_group(0, job)};
  return run;
}

TEST(ReportingOptions, SignificantFiguresSetsTheDigits) {
  auto run = quick_run();
  EXPECT_THAT(normal(run), HasSubstr("  read: IOPS=256k, BW=1000MiB/s (1049MB/s)(1024KiB/1msec)\n"));
  run.jobs[0].reporting.significant_figures = 6;
  EXPECT_THAT(normal(run), HasSubstr("  read: IOPS=256000, BW=1000.0MiB/s (1048.6MB/s)(1024.0KiB/1msec)\n"));
  EXPECT_THAT(normal(run), HasSubstr("   READ: bw=1000.0MiB/s (1048.6MB/s), 1000.0MiB/s-1000.0MiB/s "
                                     "(1048.6MB/s-1048.6MB/s), io=1024.0KiB (1048.6kB), run=1-1msec\n"));
}

TEST(ReportingOptions, KbBaseChoosesTheFirstUnit) {
  auto run = quick_run();
  run.jobs[0].reporting.kb_base = 1000;
  run.jobs[0].dirs[0].bw_kib_s = {1000, 2000, 1500, 10, 2};
  const auto text = normal(run);
  EXPECT_THAT(text, HasSubstr("BW=1049MB/s (1000MiB/s)(1049kB/1msec)\n"));
  EXPECT_THAT(text, HasSubstr("   READ: bw=1049MB/s (1000MiB/s), 1049MB/s-1049MB/s (1000MiB/s-1000MiB/s), io=1049kB"));
  EXPECT_THAT(text, HasSubstr("   bw (   kB/s): min= 1024, max= 2048,"));
}

TEST(ReportingOptions, UnitBaseOneReportsBits) {
  auto run = quick_run();
  run.jobs[0].reporting.unit_base = 1;
  EXPECT_THAT(normal(run), HasSubstr("BW=8000Mibit/s (8389Mbit/s)(1024KiB/1msec)\n"));
  run.jobs[0].reporting.unit_base = 8;
  EXPECT_THAT(normal(run), HasSubstr("BW=1000MiB/s (1049MB/s)(1024KiB/1msec)\n"));
}

TEST(ReportingOptions, UnifiedRwReportingSumsAllDirections) {
  auto run = simple_run();
  auto& job = run.jobs[0];
  job.dirs[0].series = {{500, 500, 1 << 20, 256}, {1000, 500, 1 << 20, 256}};
  job.dirs[1].series = {{500, 500, 1 << 20, 256}, {1000, 500, 3 << 20, 768}};
  job.unified = true;
  auto only = nlohmann::ordered_json::parse(json(run))["jobs"][0];
  EXPECT_FALSE(only.contains("read"));
  EXPECT_EQ(only["mixed"]["io_bytes"], job.dirs[0].bytes + job.dirs[1].bytes);
  EXPECT_EQ(only["mixed"]["total_ios"], job.dirs[0].issued + job.dirs[1].issued);
  EXPECT_EQ(only["mixed"]["clat_ns"]["N"], job.dirs[0].clat.moments_ns.n + job.dirs[1].clat.moments_ns.n);
  EXPECT_EQ(only["mixed"]["bw_min"], 4096);  // both directions of a moment together
  EXPECT_EQ(only["mixed"]["bw_max"], 8192);
  EXPECT_EQ(only["mixed"]["iops_samples"], 2);
  EXPECT_THAT(normal(run), HasSubstr("\n  mixed: IOPS="));
  EXPECT_THAT(normal(run), Not(HasSubstr("\n  read: IOPS=")));
  EXPECT_THAT(normal(run), HasSubstr("\n  MIXED: bw="));
  EXPECT_THAT(normal(run), Not(HasSubstr("\n   READ: bw=")));
  job.reporting.both = true;
  const auto each = nlohmann::ordered_json::parse(json(run))["jobs"][0];
  EXPECT_EQ(each["mixed"], only["mixed"]);
  EXPECT_TRUE(each.contains("read") && each.contains("trim") && each.contains("sync"));
  const auto text = normal(run);
  EXPECT_LT(text.find("  write: IOPS="), text.find("  mixed: IOPS="));
  EXPECT_LT(text.find("  WRITE: bw="), text.find("  MIXED: bw="));
}

TEST(ReportingOptions, JobStartUsesTheNamedClock) {
  auto run = simple_run();
  run.jobs[0].start_epoch_ms = 1'700'000'000'000;
  run.jobs[0].reporting.job_start_ms = 4711;
  EXPECT_EQ(nlohmann::json::parse(json(run))["jobs"][0]["job_start"], 4711);
}

TEST(ReportingOptions, IdleProfReportsCpuIdleness) {
  auto run = simple_run();
  run.cpu_idleness = result::CpuIdleness{4.19, {0.41, 7.97}, true, 9.84, 1.69};
  EXPECT_THAT(normal(run), HasSubstr("\nCPU idleness:\n  system: 4.19%\n  percpu: 0.41%, 7.97%\n"
                                     "  unit work: mean=9.84us, stddev=1.69\n"));
  auto idle = nlohmann::ordered_json::parse(json(run))["cpu_idleness"];
  EXPECT_EQ(idle.dump(), R"({"system":4.19,"cpu-0":0.41,"cpu-1":7.97,"unit_mean":9.84,"unit_stddev":1.69})");
  run.cpu_idleness->each = false;
  EXPECT_THAT(normal(run), Not(HasSubstr("percpu")));
}

}  // namespace
}  // namespace fathom::report
