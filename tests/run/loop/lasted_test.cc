// A time by a clock that jumped is the reference's; one by a clock that did not is its own, however late it was read.
#include "run/loop/lasted.h"

#include <gtest/gtest.h>

namespace fathom::run::loop {
namespace {

constexpr std::uint64_t kSecond_ns = 1'000'000'000, kHour_ns = 3600 * kSecond_ns;
constexpr Moment kBegan{10 * kSecond_ns, 10 * kSecond_ns + 50};
constexpr Moment kEnded{20 * kSecond_ns, 20 * kSecond_ns + 50};

TEST(Lasted, IsByTheClockUnlessItJumped) {
  EXPECT_EQ(lasted(10 * kSecond_ns + 7, kBegan, kEnded), 10 * kSecond_ns + 7);
  EXPECT_EQ(lasted(10'006'000'000, kBegan, kEnded), 10'006'000'000u) << "0.6 per mille: rates, not a jump";
  EXPECT_EQ(lasted(9'994'000'000, kBegan, kEnded), 9'994'000'000u);
  EXPECT_EQ(lasted(0, kBegan, kBegan), 0u);
}

TEST(Lasted, IsByTheReferenceAfterAJump) {
  EXPECT_EQ(lasted(kHour_ns, kBegan, kEnded), 10 * kSecond_ns + 50);
  EXPECT_EQ(lasted(0, kBegan, kEnded), 10 * kSecond_ns - 50) << "the clock is behind its start";
  EXPECT_EQ(lasted(9 * kSecond_ns, kBegan, kEnded), 10 * kSecond_ns - 50);
  EXPECT_EQ(lasted(11 * kSecond_ns, kBegan, kEnded), 10 * kSecond_ns + 50);
}

TEST(Lasted, AReaderThatWasHeldUpMakesNoJump) {
  const Moment late{20 * kSecond_ns, 23 * kSecond_ns};  // the job's clock was read anywhere in between
  EXPECT_EQ(lasted(13 * kSecond_ns, kBegan, late), 13 * kSecond_ns);
  EXPECT_EQ(lasted(10 * kSecond_ns, kBegan, late), 10 * kSecond_ns);
  EXPECT_EQ(lasted(kHour_ns, kBegan, late), 13 * kSecond_ns);
}

}  // namespace
}  // namespace fathom::run::loop
