// Public block traces in columns: MSR Cambridge, SPC, Alibaba, Tencent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traces.h"

namespace fathom::trace {
namespace {

using testing::ElementsAre;

TEST(Msr, HasTimesAndResponsesIn100ns) {
  const auto t = read_text(
      "128166372003061629,hm,1,Read,383496192,32768,413\n"
      "128166372016382155,hm,1,Write,2822144,4096,100\n"
      "128166372016382155,hm,0,Write,2822144,0,100\n");
  EXPECT_EQ(t.error.what, "");
  EXPECT_EQ(t.traits.format, "msr");
  EXPECT_TRUE(t.traits.has_responses);
  EXPECT_THAT(t.times(), ElementsAre(0, 1'332'052'600));
  EXPECT_THAT(t.files, ElementsAre("hm.1"));
  EXPECT_EQ(t.events[0].offset_bytes, 383'496'192u);
  EXPECT_EQ(t.events[0].length_bytes, 32'768u);
  EXPECT_EQ(t.events[0].response_ns, 41'300u);
  EXPECT_EQ(t.events[1].action, Action::write);
  EXPECT_EQ(t.skipped_for("zero length"), 1u);
}

TEST(Spc, CountsBlocksOf512Bytes) {
  const auto t = read_text("0,20941264,8192,W,0.551706\n1,55590,3072,r,0.554041\n0,1,512,R,0.5\n");
  EXPECT_EQ(t.error.what, "");
  EXPECT_EQ(t.traits.format, "spc");
  EXPECT_THAT(t.times(), ElementsAre(551'706'000, 554'041'000, 500'000'000));
  EXPECT_THAT(t.files, ElementsAre("asu0", "asu1"));
  EXPECT_EQ(t.events[0].offset_bytes, 20'941'264ull * 512);
  EXPECT_EQ(t.events[0].length_bytes, 8192u);
  EXPECT_EQ(t.events[0].action, Action::write);
  EXPECT_EQ(t.times_back, 1u);
}

TEST(Alibaba, CountsMicroseconds) {
  const auto t = read_text(
      "device_id,opcode,offset,length,timestamp\r\n3,W,8792731648,16384,1577808144360767\r\n725,R,0,4096,"
      "1577808144360800\r\n");
  EXPECT_EQ(t.error.what, "");
  EXPECT_EQ(t.traits.format, "alibaba");
  EXPECT_THAT(t.times(), ElementsAre(0, 33'000));
  EXPECT_THAT(t.files, ElementsAre("device3", "device725"));
  EXPECT_EQ(t.events[0].offset_bytes, 8'792'731'648u);
}

TEST(Tencent, CountsSecondsAndSectors) {
  const auto t = read_text("1538323200,12910952,128,0,1063\n1538323201,6338688,8,1,1627\n");
  EXPECT_EQ(t.error.what, "");
  EXPECT_EQ(t.traits.format, "tencent");
  EXPECT_THAT(t.times(), ElementsAre(0, 1'000'000'000));
  EXPECT_EQ(t.events[0].offset_bytes, 12'910'952ull * 512);
  EXPECT_EQ(t.events[0].length_bytes, 65'536u);
  EXPECT_EQ(t.events[0].action, Action::read);
  EXPECT_EQ(t.events[1].action, Action::write);
  EXPECT_THAT(t.files, ElementsAre("volume1063", "volume1627"));
  ASSERT_EQ(t.notes.size(), 1u);
}

struct BadColumns {
  const char *good, *bad, *what;
  int column;
};
class ColumnsBad : public testing::TestWithParam<BadColumns> {};
TEST_P(ColumnsBad, IsAnErrorAtItsPlace) {
  const auto t = read_text(std::string(GetParam().good) + "\n" + GetParam().bad + "\n");
  EXPECT_NE(t.error.what.find(GetParam().what), std::string::npos) << t.error.what;
  ASSERT_TRUE(t.error.place);
  EXPECT_EQ(t.error.place->line, 2);
  EXPECT_EQ(t.error.place->column, GetParam().column);
  EXPECT_EQ(t.events.size(), 1u);
}
constexpr const char *kMsr = "1,h,0,Read,0,512,1", *kSpc = "0,0,512,R,0.0", *kAlibaba = "0,R,0,512,0",
                     *kTencent = "0,0,1,0,0";
INSTANTIATE_TEST_SUITE_P(Lines, ColumnsBad,
                         testing::Values(BadColumns{kMsr, "1,h,0,Read,0,512", "7 columns", 1},
                                         BadColumns{kMsr, "1,h,0,Trim,0,512,1", "neither Read nor Write", 7},
                                         BadColumns{kMsr, "1,h,0,Read,-1,512,1", "offset `-1`", 12},
                                         BadColumns{kMsr, "1,h,0,Read,0,512,", "no response time", 18},
                                         BadColumns{kSpc, "0,0,512,X,0.0", "neither R nor W", 9},
                                         BadColumns{kSpc, "0,0,512,R,0.x", "time `0.x`", 11},
                                         BadColumns{kSpc, "0,36028797018963968,512,R,0.0", "beyond 2^64", 3},
                                         BadColumns{kAlibaba, "0,R,0,512", "5 columns", 1},
                                         BadColumns{kAlibaba, "0,R,0,512,99999999999999999999", "time", 11},
                                         BadColumns{kTencent, "0,0,1,2,0", "neither 0 (read) nor 1", 7},
                                         BadColumns{kTencent, "0,36028797018963968,1,0,0", "beyond 2^64", 3}));

}  // namespace
}  // namespace fathom::trace
