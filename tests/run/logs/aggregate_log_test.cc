// --bandwidth-log from made-up counters.
#include "run/logs/aggregate_log.h"

#include <gtest/gtest.h>

#include "run/logs/log_times.h"

namespace fathom::run::logs {
namespace {

constexpr std::uint64_t kStart = 77 * kMs;
using Bytes = io::PerDir<std::uint64_t>;

TEST(AggregateLog, ALineForEachSampleAndDirectionWithBytes) {
  AggregateLog log(500 * kMs);
  EXPECT_LT(log.look(kStart - 10 * kMs, std::nullopt), kStart + 100 * kMs);
  EXPECT_EQ(log.look(kStart, Bytes{0, 0, 0}), kStart + 500 * kMs);
  log.look(kStart + 500 * kMs, Bytes{1 << 20, 2 << 20, 0});
  log.look(kStart + 1500 * kMs, Bytes{2 << 20, 2 << 20, 0});
  EXPECT_EQ(log.text(0), "500, 2048, 0, 0, 0\n1500, 1024, 0, 0, 0\n");
  EXPECT_EQ(log.text(1), "500, 4096, 1, 0, 0\n");
  EXPECT_EQ(log.text(2), "");
}

TEST(AggregateLog, NoLineWhileAJobIsInItsRamp) {
  AggregateLog log(500 * kMs);
  log.look(kStart, Bytes{0, 0, 0});
  log.look(kStart + 500 * kMs, std::nullopt);
  log.look(kStart + 600 * kMs, Bytes{9 << 20, 0, 0});
  EXPECT_EQ(log.text(0), "");
  log.look(kStart + 1100 * kMs, Bytes{10 << 20, 0, 0});
  EXPECT_EQ(log.text(0), "1100, 2048, 0, 0, 0\n");
}

}  // namespace
}  // namespace fathom::run::logs
