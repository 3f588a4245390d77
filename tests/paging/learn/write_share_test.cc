// The share of writes from simulated bits of touches and writes; the naive quotient of dirtied over touched pages is
// shown to be something else.
#include "paging/learn/fit/write_share.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/prng.h"

namespace fathom::paging::learn {
namespace {

struct Bits {
  std::vector<std::uint32_t> touched, written;
  fit::SeenCounts written_counts;
  double touched_mean = 0;  // pages an interval
};
Bits simulate_bits(double share, double theta, unsigned pages, unsigned intervals) {
  base::Prng prng(17);
  Bits out;
  out.written_counts.resize(intervals + 1);
  for (unsigned rank = 1; rank <= pages; ++rank) {
    const double rate = 0.3 * std::pow(rank / (pages / 2.0), -theta);
    const double read = std::exp(-rate * (1 - share)), write = std::exp(-rate * share);
    std::uint32_t t = 0, w = 0;
    for (unsigned i = 0; i < intervals; ++i) {
      const bool wrote = prng.unit() >= write;
      w += wrote;
      t += (prng.unit() >= read) || wrote;
    }
    out.touched.push_back(t);
    out.written.push_back(w);
    ++out.written_counts[w];
  }
  out.touched_mean = std::accumulate(out.touched.begin(), out.touched.end(), 0.0) / intervals;
  return out;
}

class WriteShareOf : public testing::TestWithParam<double> {};
TEST_P(WriteShareOf, IsRecoveredFromCountsOfEachPage) {
  const Bits bits = simulate_bits(GetParam(), 0.99, 8192, 60);
  const fit::WriteShare found = fit::share_of_pages(bits.touched, 60, 0.02, bits.written, 60, 0.02);
  ASSERT_TRUE(found.known);
  EXPECT_NEAR(found.share, GetParam(), 0.03);
}
TEST_P(WriteShareOf, IsRecoveredFromTotals) {
  if (GetParam() == 0) return;  // without writes there is no law of them
  const Bits bits = simulate_bits(GetParam(), 0.99, 8192, 60);
  const fit::WriteShare found = fit::share_of_totals(fit::fit_zipf(bits.written_counts), bits.touched_mean, 20);
  ASSERT_TRUE(found.known);
  EXPECT_NEAR(found.share, GetParam(), 0.05);
  EXPECT_LT(found.error, 0.05);
}
INSTANTIATE_TEST_SUITE_P(Shares, WriteShareOf, testing::Values(0.0, 0.1, 0.3, 0.5, 0.9, 1.0));

TEST(WriteShare, IntervalsOfTouchesAndWritesMayDiffer) {
  const Bits touched = simulate_bits(0.3, 0.8, 8192, 60), written = simulate_bits(0.3, 0.8, 8192, 30);
  const fit::WriteShare found = fit::share_of_pages(touched.touched, 60, 0.02, written.written, 30, 0.02);
  EXPECT_NEAR(found.share, 0.3, 0.03);
  EXPECT_NEAR(fit::share_of_pages(touched.touched, 60, 0.02, written.written, 30, 0.04).share, 0.15, 0.03);
}

TEST(WriteShare, DirtiedOverTouchedPagesOverestimatesIt) {
  const Bits bits = simulate_bits(0.3, 0.99, 8192, 60);
  const double written = std::accumulate(bits.written.begin(), bits.written.end(), 0.0) / 60;
  EXPECT_GT(written / bits.touched_mean, 0.38);
}

TEST(WriteShare, SaturatedPagesLeaveItUnknown) {
  const std::vector<std::uint32_t> always(1000, 60);
  EXPECT_FALSE(fit::share_of_pages(always, 60, 0.02, always, 60, 0.02).known);
  const Bits bits = simulate_bits(0.5, 0.6, 4096, 60);
  EXPECT_FALSE(fit::share_of_totals(fit::fit_zipf(bits.written_counts), 4096, 1).known);
}

}  // namespace
}  // namespace fathom::paging::learn
