// From simulated windows to a profile: the numbers, and what is said where there are none.
#include "paging/learn/describe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/prng.h"

namespace fathom::paging::learn {
namespace {

enum class Sees { touches, touches_and_writes, writes };

Observed simulate_observed(Sees sees, double theta, double write_share, double move_s = 0) {
  constexpr unsigned kPages = 2048, kIntervals = 10;
  base::Prng prng(9);
  Observed out;
  out.method = "idle pages";
  out.interval_s = 0.02;
  out.resident_pages = kPages;
  out.duration_s = out.asked_s = 6;
  for (unsigned w = 0; w < 30; ++w) {
    observe::Window window;
    window.begin_s = 0.2 * w, window.end_s = window.begin_s + 0.2, window.complete = true, window.look_s = 0.01;
    window.touched.pages.assign(kPages, 0);
    window.written.pages.assign(kPages, 0);
    const auto place = move_s > 0 ? static_cast<unsigned>(window.begin_s / move_s) * 700 : 0;
    for (unsigned rank = 0; rank < kPages; ++rank)
      for (unsigned i = 0; i < kIntervals; ++i) {
        const double rate = 0.3 * std::pow((rank + 1) / (kPages / 2.0), -theta);
        const bool wrote = prng.unit() >= std::exp(-rate * write_share);
        const bool read = prng.unit() >= std::exp(-rate * (1 - write_share));
        window.written.pages[(rank + place) % kPages] += wrote;
        window.touched.pages[(rank + place) % kPages] += wrote || read;
        window.touched_pages += (wrote || read) / static_cast<double>(kIntervals);
      }
    window.touched.intervals = sees == Sees::writes ? 0 : kIntervals;
    window.written.intervals = sees == Sees::touches ? 0 : kIntervals;
    window.touched.interval_s = window.written.interval_s = window.touched_interval_s = 0.02;
    window.touched_intervals = sees == Sees::writes ? kIntervals : 0;
    out.windows.push_back(window);
  }
  return out;
}

bool says(const Learnt& learnt, const std::string& id) {
  return std::any_of(learnt.findings.begin(), learnt.findings.end(), [&](auto& f) { return f.id == id; });
}

class DescribeByMethod : public testing::TestWithParam<Sees> {};
TEST_P(DescribeByMethod, SimulatedThetaWorkingSetAndReadPercentAreRecovered) {
  Learnt out;
  describe(simulate_observed(GetParam(), 0.99, 0.3), out);
  EXPECT_NEAR(out.profile.zipf_theta, 0.99, 0.1);
  EXPECT_LT(out.profile.zipf_error, 0.1);
  EXPECT_EQ(out.profile.hot_move_s, 0);
  EXPECT_NEAR(static_cast<double>(out.profile.working_set_bytes), 2048 * 4096, 2048 * 300);
  if (GetParam() == Sees::touches) {
    EXPECT_LT(out.profile.read_percent, 0);
    EXPECT_TRUE(says(out, "learn.no_read_share"));
  } else {
    EXPECT_NEAR(out.profile.read_percent, 70, 5);
  }
}
INSTANTIATE_TEST_SUITE_P(Kinds, DescribeByMethod,
                         testing::Values(Sees::touches, Sees::touches_and_writes, Sees::writes));

TEST(DescribeLearnt, AMovingHotSetDoesNotLowerTheta) {
  Learnt out;
  describe(simulate_observed(Sees::touches, 0.99, 0.3, 1.2), out);
  EXPECT_NEAR(out.profile.hot_move_s, 1.2, 0.25);
  EXPECT_GT(out.profile.hot_move_share, 0.6);
  EXPECT_NEAR(out.profile.zipf_theta, 0.99, 0.15);
}

TEST(DescribeLearnt, EarlyEndHugePagesAndOverheadAreFindings) {
  Observed observed = simulate_observed(Sees::touches, 0.99, 0.3);
  observed.ended = true, observed.asked_s = 20;
  observed.huge_bytes = 4 << 20;
  for (observe::Window& window : observed.windows) window.look_s = 0.1;
  Learnt out;
  describe(observed, out);
  for (const char* id : {"learn.ended_early", "learn.huge_pages", "learn.overhead"}) EXPECT_TRUE(says(out, id)) << id;
}

TEST(DescribeLearnt, NoTouchedPageLeavesThetaUnknown) {
  Observed observed = simulate_observed(Sees::touches, 0.99, 0.3);
  for (observe::Window& window : observed.windows)
    std::fill(window.touched.pages.begin(), window.touched.pages.end(), 0);
  Learnt out;
  describe(observed, out);
  EXPECT_EQ(out.profile.zipf_theta, -1) << "not known is no exponent of 0";
  EXPECT_EQ(out.profile.working_set_bytes, 0u);
  EXPECT_TRUE(says(out, "learn.theta_unknown"));
}

// Curves of touched pages by a law, each point off by chance.
Observed curves(double theta, double noise) {
  constexpr int kPages = 4096;
  base::Prng prng(5);
  Observed observed;
  observed.method = "referenced";
  observed.resident_pages = kPages, observed.duration_s = observed.asked_s = 5;
  for (int w = 0; w < 5; ++w) {
    observe::Window window;
    window.end_s = 0.5;
    for (int i = 0; i < 8; ++i) {
      double norm = 0, sum = 0;
      for (int rank = 1; rank <= kPages; ++rank) norm += std::pow(rank, -theta);
      for (int rank = 1; rank <= kPages; ++rank) sum -= std::expm1(-400.0 * (1 << i) * std::pow(rank, -theta) / norm);
      window.growth.push_back({0.002 * (1 << i), sum * (1 + noise * (2 * prng.unit() - 1))});
    }
    observed.windows.push_back(window);
  }
  return observed;
}

TEST(DescribeLearnt, GrowthCurvesTellASteepZipfFromEqualRates) {
  Learnt steep, even;
  describe(curves(1.2, 0.002), steep);
  describe(curves(0, 0.002), even);
  EXPECT_NEAR(steep.profile.zipf_theta, 1.2, 0.2);
  EXPECT_NEAR(even.profile.zipf_theta, 0, 0.2);
}

TEST(DescribeLearnt, AnUncertainThetaIsNotWritten) {
  Learnt out;
  describe(curves(0.8, 0.5), out);
  EXPECT_EQ(out.profile.zipf_theta, -1);
  EXPECT_EQ(out.profile.zipf_error, 0);
  EXPECT_TRUE(says(out, "learn.theta_uncertain") || says(out, "learn.not_zipf"));
  EXPECT_GT(out.profile.working_set_bytes, 0u) << "the rest is there";
}

// 90 % of the accesses in a tenth of the pages, which takes another place five times in a curve.
Observed moving_curves() {
  Observed observed = curves(0.9, 0);
  for (observe::Window& window : observed.windows) {
    std::vector<double> untouched(4096, 1);
    double done_s = 0;
    int place = 0;
    for (fit::GrowthPoint& point : window.growth) {
      for (; done_s < point.time_s; done_s += 0.002, place = static_cast<int>(done_s / 0.05)) {
        for (int p = 0; p < 4096; ++p) {
          const bool hot = (p + 4096 - place * 1365 % 4096) % 4096 < 410;
          untouched[static_cast<std::size_t>(p)] *= std::exp(-400.0 * (hot ? 0.9 / 410 : 0.1 / 3686));
        }
      }
      point.pages = 0;
      for (const double share : untouched) point.pages += 1 - share;
    }
  }
  return observed;
}

TEST(DescribeLearnt, AGrowthCurveThatIsNotZipfHasNoTheta) {
  Learnt out;
  describe(moving_curves(), out);
  EXPECT_EQ(out.profile.zipf_theta, -1);
  EXPECT_TRUE(says(out, "learn.not_zipf"));
  EXPECT_GT(out.profile.working_set_bytes, 0u) << "the rest is there";
}

TEST(DescribeLearnt, AFittedAccessRateBeyondTheCpuTimeLeavesThetaUnknown) {
  Observed observed = curves(1.2, 0.002);
  observed.cpu_share = 0.5;
  Learnt fits, cannot;
  describe(observed, fits);
  EXPECT_NEAR(fits.profile.zipf_theta, 1.2, 0.2);
  observed.cpu_share = 1e-5;  // 100,000 accesses a second, where the curve needs 200,000
  describe(observed, cannot);
  EXPECT_EQ(cannot.profile.zipf_theta, -1);
  EXPECT_TRUE(says(cannot, "learn.not_zipf"));
}

TEST(DescribeLearnt, GrowthCurvesGiveThetaAndLeaveReadsAndHotSetUnknown) {
  Observed observed;
  observed.method = "referenced";
  observed.resident_pages = 1000, observed.duration_s = observed.asked_s = 5;
  for (int w = 0; w < 10; ++w) {
    observe::Window window;
    window.end_s = 0.5;
    for (int i = 0; i < 8; ++i) window.growth.push_back({0.002 * (1 << i), 1000 * -std::expm1(-0.05 * (1 << i))});
    observed.windows.push_back(window);
  }
  Learnt out;
  describe(observed, out);
  EXPECT_LT(out.profile.zipf_theta, 0.1);
  EXPECT_NEAR(static_cast<double>(out.profile.working_set_bytes), 1000 * 4096, 5 * 4096);
  for (const char* id : {"learn.from_curve", "learn.movement_unknown", "learn.no_read_share"})
    EXPECT_TRUE(says(out, id)) << id;
}

}  // namespace
}  // namespace fathom::paging::learn
