// The table, cell by cell.
#include <gtest/gtest.h>

#include "report/formats.h"
#include "small_run.h"

namespace fathom::report::rows {
namespace {

constexpr const char* kHead =
    "run_id,host,reported_epoch_ms,checks,job,job_number,members,repetition,direction,error,usr_cpu_percent,"
    "sys_cpu_percent,ios,bytes,runtime_ns,iops,bw_bytes_per_s,error_ios,short_ios,"
    "slat_n,slat_ns_min,slat_ns_mean,slat_ns_stddev,slat_ns_p50,slat_ns_p90,slat_ns_p99,slat_ns_p99.9,"
    "slat_ns_p99.99,slat_ns_max,"
    "clat_n,clat_ns_min,clat_ns_mean,clat_ns_stddev,clat_ns_p50,clat_ns_p90,clat_ns_p99,clat_ns_p99.9,"
    "clat_ns_p99.99,clat_ns_max,"
    "lat_n,lat_ns_min,lat_ns_mean,lat_ns_stddev,lat_ns_p50,lat_ns_p90,lat_ns_p99,lat_ns_p99.9,lat_ns_p99.99,"
    "lat_ns_max,"
    "intended_lat_n,intended_lat_ns_min,intended_lat_ns_mean,intended_lat_ns_stddev,intended_lat_ns_p50,"
    "intended_lat_ns_p90,intended_lat_ns_p99,intended_lat_ns_p99.9,intended_lat_ns_p99.99,intended_lat_ns_max,"
    "start_delay_n,start_delay_ns_min,start_delay_ns_mean,start_delay_ns_stddev,start_delay_ns_p50,"
    "start_delay_ns_p90,start_delay_ns_p99,start_delay_ns_p99.9,start_delay_ns_p99.99,start_delay_ns_max";

const std::string kNothing(10, ',');  // the cells of a latency that was not measured

TEST(RowsCsv, HasALineOfNamesAndARowPerJobAndDirection) {
  EXPECT_EQ(rows_csv(small_run()),
            std::string(kHead) +
                "\nid-1,host,1721999913845,passed,t,0,1,,read,0,12.5,40.25,4,16384,2000000,2000,8192000,0,0" +
                kNothing + kNothing + ",4,100,250075,499950,100,1000000,1000000,1000000,1000000,1000000" + kNothing +
                kNothing + "\n");
}

TEST(RowsCsv, AJobWithoutADirectionHasARowWithItsError) {
  auto run = small_run();
  run.jobs[0].dirs[0] = {};
  run.jobs[0].error = 5;
  run.run_id = run.host.hostname = "";
  run.time_epoch_ms = run.end_epoch_ms = 0;
  EXPECT_EQ(line_of(rows_csv(run), 1), ",,,passed,t,0,1,,,5,12.5,40.25" + std::string(7 + 50, ','));
}

TEST(RowsCsv, QuotesNamesAndKeepsThemOnOneLine) {
  auto run = small_run();
  run.jobs[0].name = "a,\"b\"\nc";
  EXPECT_EQ(line_of(rows_csv(run), 1).find("id-1,host,1721999913845,passed,\"a,\"\"b\"\"\\nc\",0,1,"), 0u)
      << line_of(rows_csv(run), 1);
}

TEST(RowsCsv, NumbersTheRepetitions) {
  auto run = small_run();
  run.repetitions = {small_run(), small_run()};
  const auto text = rows_csv(run);
  EXPECT_NE(line_of(text, 1).find(",t,0,1,1,read,"), std::string::npos) << text;
  EXPECT_NE(line_of(text, 2).find(",t,0,1,2,read,"), std::string::npos) << text;
}

TEST(Following, ATableHasItsNamesOnceAndAnExpositionOneResult) {
  EXPECT_EQ(following("rows-csv"), Following::without_first_line);
  EXPECT_EQ(following("openmetrics"), Following::never);
  EXPECT_EQ(following("jsonl"), Following::whole);
}

}  // namespace
}  // namespace fathom::report::rows
