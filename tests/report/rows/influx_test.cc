// Every point of a small run, and names that the protocol gives a meaning.
#include <gtest/gtest.h>

#include <limits>

#include "report/formats.h"
#include "small_run.h"

namespace fathom::report::rows {
namespace {

TEST(Influx, HasAPointForTheRunTheJobAndEachDirection) {
  EXPECT_EQ(
      influx(small_run()),
      "fathom_run,host=host checks=\"passed\",reported_epoch_ms=1721999913845i,findings_error=0i,findings_warning=0i,"
      "findings_note=1i,run_id=\"id-1\" 1721999913845000000\n"
      "fathom,host=host,job=t,job_number=0 error=0i,usr_cpu_percent=12.5,sys_cpu_percent=40.25,context_switches=7i,"
      "major_faults=0i,minor_faults=13i,run_id=\"id-1\" 1721999913845000000\n"
      "fathom,direction=read,host=host,job=t,job_number=0 ios=4i,bytes=16384i,runtime_ns=2000000i,iops=2000,"
      "bw_bytes_per_s=8192000,error_ios=0i,short_ios=0i,dropped_ios=0i,lat_n=4i,lat_ns_min=100i,lat_ns_mean=250075,"
      "lat_ns_stddev=499950,lat_ns_p50=100i,lat_ns_p90=1000000i,lat_ns_p99=1000000i,lat_ns_p99.9=1000000i,"
      "lat_ns_p99.99=1000000i,lat_ns_max=1000000i,run_id=\"id-1\" 1721999913845000000\n");
}

TEST(Influx, EscapesNamesAndLeavesEmptyTagsOut) {
  auto run = small_run();
  run.host.hostname = "";
  run.run_id = "say \"x\\\"";
  run.jobs[0].name = "a b,c=d\\\n";
  const auto line = line_of(influx(run), 2);
  EXPECT_EQ(line.find("fathom,direction=read,job=a\\ b\\,c\\=d//n,job_number=0 ios=4i,"), 0u) << line;
  EXPECT_NE(line.find(",run_id=\"say \\\"x\\\\\\\"\" 1721"), std::string::npos) << line;
}

TEST(Influx, WritesNoTimeThatIsNotKnownAndAllBitsOfAnInteger) {
  auto run = small_run();
  run.time_epoch_ms = run.end_epoch_ms = 0;
  run.jobs[0].dirs[0].bytes = std::numeric_limits<std::uint64_t>::max();
  const auto text = influx(run);
  EXPECT_TRUE(line_of(text, 0).ends_with(",run_id=\"id-1\"")) << text;
  EXPECT_TRUE(line_of(text, 2).ends_with(",run_id=\"id-1\"")) << text;
  EXPECT_NE(text.find(",bytes=18446744073709551615u,"), std::string::npos) << text;
}

TEST(Influx, TagsTheRepetition) {
  auto run = small_run();
  run.repetitions = {small_run(), small_run()};
  EXPECT_EQ(line_of(influx(run), 4).find("fathom,direction=read,host=host,job=t,job_number=0,repetition=2 "), 0u)
      << influx(run);
}

}  // namespace
}  // namespace fathom::report::rows
