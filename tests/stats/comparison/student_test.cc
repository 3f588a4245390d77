// Student's distribution for any degrees: against closed forms, against the finite sums of stats/repeat.cc, and against
// values that SciPy 1.10 gives (tests/cli/compare_scipy_test.py asks it itself).
#include "stats/comparison/student.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "stats/repeat.h"

namespace fathom::stats::comparison {
namespace {

TEST(Student, IsTheClosedFormOfOneAndTwoDegrees) {
  for (const double t : {1e-6, 0.1, 0.9, 1.0, 1.1, 3.0, 12.7, 1e3, 1e6}) {
    EXPECT_NEAR(two_sided_p(t, 1), 1 - 2 / std::numbers::pi * std::atan(t), 1e-13) << t;
    EXPECT_NEAR(two_sided_p(-t, 2), 1 - t / std::sqrt(2 + t * t), 1e-13) << t;
  }
}

TEST(Student, IsTheFiniteSumOfWholeDegrees) {
  for (unsigned degrees = 1; degrees <= 300; ++degrees)
    for (const double central : {0.5, 0.95, 0.99, 0.9999}) {
      const double by_sum = t_quantile(central, degrees);
      ASSERT_NEAR(student_quantile(central, degrees) / by_sum, 1, 1e-10) << degrees << " " << central;
      ASSERT_NEAR(two_sided_p(by_sum, degrees), 1 - central, 1e-11) << degrees << " " << central;
    }
}

TEST(Student, LiesBetweenNeighboursForFractions) {
  for (double degrees = 1.5; degrees < 60; degrees += 1) {
    const auto whole = static_cast<unsigned>(degrees);
    EXPECT_LT(student_quantile(0.95, degrees), t_quantile(0.95, whole));
    EXPECT_GT(student_quantile(0.95, degrees), t_quantile(0.95, whole + 1));
  }
}

TEST(Student, KnowsNothingWithoutDegrees) {
  EXPECT_EQ(two_sided_p(5, 0), 1);
  EXPECT_TRUE(std::isinf(student_quantile(0.95, 0)));
  EXPECT_EQ(two_sided_p(INFINITY, 4), 0);
  EXPECT_EQ(two_sided_p(NAN, 4), 1);
  EXPECT_EQ(two_sided_p(0, 4), 1);
}

}  // namespace
}  // namespace fathom::stats::comparison
