// Names of metrics and conditions, as users write them.
#include "compare/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::compare {
namespace {

using ::testing::HasSubstr;

TEST(Metrics, NamesAreRead) {
  const auto p99 = metric_named("intended_lat_p99.9");
  ASSERT_TRUE(p99.ok());
  EXPECT_EQ((*p99).latency, "intended_lat");
  EXPECT_EQ((*p99).percentile, 99.9);
  EXPECT_EQ((*p99).unit(), "ns");
  EXPECT_FALSE((*p99).more_is_better());
  EXPECT_EQ((*metric_named("lat_mean")).percentile, std::nullopt);
  EXPECT_EQ((*metric_named("bw")).unit(), "bytes/s");
  EXPECT_TRUE((*metric_named("accesses_per_s")).more_is_better());
  EXPECT_TRUE(is_of(*metric_named("major_p50"), Kind::paging));
  EXPECT_TRUE(is_of(*metric_named("clat_p50"), Kind::jobs));
  for (const auto kind : {Kind::jobs, Kind::paging})
    for (const auto name : usual_metrics(kind)) EXPECT_TRUE(metric_named(name).ok()) << name;
}

TEST(Metrics, OthersAreRefusedWithTheNearest) {
  EXPECT_THAT(metric_named("clat_p9x").error().help, HasSubstr("clat_p99"));
  EXPECT_THAT(metric_named("iosp").error().help, HasSubstr("iops"));
  for (const char* name :
       {"", "_", "clat_", "clat_p", "clat_p0", "clat_p101", "clat_p-1", "x_mean", "mean", "clat_pnan"})
    EXPECT_FALSE(metric_named(name).ok()) << name;
}

TEST(FailIf, ConditionsAreRead) {
  const auto above = fail_if("clat_p99>+5%");
  ASSERT_TRUE(above.ok());
  EXPECT_TRUE((*above).above);
  EXPECT_EQ((*above).percent, 5);
  const auto below = fail_if("iops < -2.5 %");
  ASSERT_TRUE(below.ok());
  EXPECT_FALSE((*below).above);
  EXPECT_EQ((*below).percent, -2.5);
  EXPECT_EQ((*fail_if("bw>1%")).percent, 1);
}

TEST(FailIf, OthersAreRefused) {
  for (const char* text : {"", "iops", "iops>", "iops>5", "iops>x%", ">5%", "iops=5%", "iops<-100%", "nops>5%",
                           "iops>++5%", "iops>5%%", "iops>nan%", "iops>inf%"})
    EXPECT_FALSE(fail_if(text).ok()) << text;
  EXPECT_THAT(fail_if("iops>5").error().cause, HasSubstr("%"));
}

}  // namespace
}  // namespace fathom::compare
