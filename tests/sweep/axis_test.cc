// What `--over` is read as, and what is said of what it is not.
#include "sweep/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> values(std::string_view text) {
  const auto axis = axis_of(text);
  EXPECT_TRUE(axis) << (axis ? "" : axis.error().cause);
  return axis ? axis->values : std::vector<std::string>();
}

TEST(Axis, HasListsAndRanges) {
  EXPECT_THAT(values("iodepth=1..8"), ElementsAre("1", "2", "4", "8"));
  EXPECT_THAT(values("iodepth=1..10"), ElementsAre("1", "2", "4", "8", "10"));
  EXPECT_THAT(values("iodepth=3,1..4,32"), ElementsAre("3", "1", "2", "4", "32"));
  EXPECT_THAT(values("bs=4k..32k"), ElementsAre("4k", "8k", "16k", "32k"));
  EXPECT_THAT(values("rate_iops=1000..2000+500"), ElementsAre("1000", "1500", "2000"));
  EXPECT_THAT(values("rate_iops=100..1000*3"), ElementsAre("100", "300", "900", "1000"));
  EXPECT_THAT(values("iodepth=1..4*1.5"), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(values("ioengine=psync,libaio"), ElementsAre("psync", "libaio"));
  EXPECT_THAT(values("rate_iops=10%..30%+10%"), ElementsAre("10%", "20%", "30%"));
  EXPECT_EQ(values("rate_iops").size(), 10u);
  EXPECT_EQ(values("iodepth").size(), 9u);
}

TEST(Axis, KnowsItsNumbersAsTheJobDoes) {
  EXPECT_THAT(axis_of("bs=4k,1m")->numbers, ElementsAre(4096.0, 1048576.0));
  EXPECT_THAT(axis_of("rate_iops=50%")->numbers, ElementsAre(50.0));
  EXPECT_TRUE(axis_of("rate_iops=50%")->shares);
  EXPECT_TRUE(axis_of("ioengine=psync,libaio")->numbers.empty());
  EXPECT_FALSE(axis_of("size=50%")->shares) << "of an option that takes percentages itself";
}

TEST(Axis, TheLoadIsARateBeforeADepth) {
  const std::vector<Axis> both = {*axis_of("iodepth=1,2"), *axis_of("rate_iops=1,2")};
  EXPECT_EQ(load_axis(both), 1u);
  EXPECT_EQ(load_axis({*axis_of("bs=4k,8k"), *axis_of("iodepth=1,2")}), 1u);
  EXPECT_EQ(load_axis({*axis_of("bs=4k,8k")}), std::nullopt);
}

TEST(Axis, AMistakeIsToldWithWhatToWrite) {
  struct Row {
    const char *text, *cause;
  };
  for (const auto& row :
       {Row{"", "name is missing"}, Row{"=1", "name is missing"}, Row{"bs", "values are missing"},
        Row{"bs=", "a value is empty"}, Row{"bs=4k,,8k", "a value is empty"}, Row{"iodepth=8..1", "ends below"},
        Row{"iodepth=a..8", "not a number"}, Row{"iodepth=0..8", "doubled"}, Row{"bs=512..4k", "different units"},
        Row{"iodepth=1..8+0", "not a step"}, Row{"iodepth=1..8*1", "factor"}, Row{"iodepth=1..100000+1", "more than"},
        Row{"iodepth=1,1", "twice"}, Row{"rate_iops=10%,100", "others are not"},
        Row{"rate_iops=0..5000+1000", "above 0"}, Row{"iodepth=0,1", "above 0"},
        Row{"rate=10000000000000000..20000000000000000+1", "more than"}}) {
    const auto axis = axis_of(row.text);
    ASSERT_FALSE(axis) << row.text;
    EXPECT_THAT(axis.error().cause, HasSubstr(row.cause)) << row.text;
    EXPECT_FALSE(axis.error().help.empty());
  }
}

}  // namespace
}  // namespace fathom::sweep
