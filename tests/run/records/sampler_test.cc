// Series of made-up counters: over hours of ticks they stay short, and their sums and the samples behind them exact.
#include "run/records/sampler.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/system/shared_memory.h"

namespace fathom::run::records {
namespace {

constexpr std::uint64_t kStart = 1'000'000'000;
constexpr std::uint32_t kTwoHours = 2 * 3600 * 2;

std::uint64_t at(std::uint32_t tick) { return kStart + tick * kSampleNs; }

void begin(WorkerRecord& record, std::uint64_t start_ns = kStart) {
  record.set_phase(Phase::running);
  record.start_ns.store(start_ns);
}

// What a worker does in a tick: never twice the same, so that a sum that leaves one out is another.
std::uint64_t ios_in(std::uint32_t tick, std::uint32_t worker) { return 1000 + tick % 977 + worker * 13; }

void work(WorkerRecord& record, std::uint32_t tick, std::uint32_t worker) {
  record.measured.done.ios[0].add(ios_in(tick, worker));
  record.measured.done.bytes[0].add(ios_in(tick, worker) * 4096);
}

result::Direction summary_of(const Series& series, std::size_t dir = 0) {
  result::Direction d;
  series.summarize(dir, d);
  return d;
}

struct Sums {
  std::uint64_t bytes = 0, ios = 0, time_ms = 0;
};
Sums sums_of(const std::vector<result::SeriesPoint>& points) {
  Sums sums;
  for (const auto& p : points) {
    sums.bytes += p.bytes;
    sums.ios += p.ios;
    sums.time_ms += p.interval_ms;
  }
  return sums;
}

TEST(Series, HoursOfTicksStayWithinTheLimitAndSumExactly) {
  base::system::SharedArray<WorkerRecord> r(1);
  begin(r[0]);
  WorkerSeries worker;
  double mean = 0, squares = 0;
  std::uint64_t ios = 0;
  for (std::uint32_t tick = 1; tick <= kTwoHours; ++tick) {
    work(r[0], tick, 0);
    ios += ios_in(tick, 0);
    worker.sample(r[0], tick, at(tick));
    ASSERT_LE(worker.series().points().size(), kMostPoints);
    if (tick == kMostPoints) {
      EXPECT_EQ(worker.series().ticks_per_point(), 1u);
    }
  }
  const auto d = summary_of(worker.series());
  EXPECT_EQ(worker.series().ticks_per_point(), 32u);
  EXPECT_EQ(d.series.size(), kTwoHours / 32);
  EXPECT_EQ(d.series.front().interval_ms, 16'000u);
  EXPECT_EQ(d.series.back().time_ms, 7'200'000u);
  EXPECT_EQ(sums_of(d.series).ios, ios);
  EXPECT_EQ(sums_of(d.series).bytes, ios * 4096);
  EXPECT_EQ(sums_of(d.series).time_ms, 7'200'000u);
  // bw and iops: of every 500 ms, as if nothing had been added up.
  for (std::uint32_t tick = 1; tick <= kTwoHours; ++tick)
    mean += 2.0 * static_cast<double>(ios_in(tick, 0)) / kTwoHours;
  for (std::uint32_t tick = 1; tick <= kTwoHours; ++tick)
    squares += std::pow(2.0 * static_cast<double>(ios_in(tick, 0)) - mean, 2);
  EXPECT_EQ(d.iops.n, kTwoHours);
  EXPECT_DOUBLE_EQ(d.iops.min, 2000);
  EXPECT_DOUBLE_EQ(d.iops.max, 2 * 1976);
  EXPECT_NEAR(d.iops.mean, mean, mean * 1e-9);
  EXPECT_NEAR(d.iops.stddev, std::sqrt(squares / (kTwoHours - 1)), 1e-6);
  EXPECT_NEAR(d.bw_kib_s.mean, mean * 4, mean * 1e-8);
}

// Workers that begin and end at other ticks: every point of the group is the sum of theirs over the same ticks.
TEST(Series, AGroupIsTheExactSumOfItsMembers) {
  constexpr std::uint32_t kWorkers = 3, kTicks = 5000;
  base::system::SharedArray<WorkerRecord> r(kWorkers);
  WorkerSeries members[kWorkers];
  Series group;
  std::uint64_t ios = 0;
  for (std::uint32_t w = 0; w < kWorkers; ++w) begin(r[w], at(w * 700));
  for (std::uint32_t tick = 1; tick <= kTicks; ++tick) {
    std::optional<SamplePoint> sum;
    for (std::uint32_t w = 0; w < kWorkers; ++w) {
      if (tick <= w * 700 || (w == 0 && tick > 3001)) continue;
      work(r[w], tick, w);
      ios += ios_in(tick, w);
      const auto point = members[w].sample(r[w], tick, at(tick));
      ASSERT_TRUE(point);
      if (sum)
        sum->merge(*point);
      else
        sum = point;
    }
    group.add(*sum);
  }
  const auto d = summary_of(group);
  EXPECT_EQ(sums_of(d.series).ios, ios);
  EXPECT_EQ(sums_of(d.series).time_ms, std::uint64_t{kTicks} * 500);
  EXPECT_EQ(d.series.back().time_ms, std::uint64_t{kTicks} * 500);
  EXPECT_EQ(d.iops.n, kTicks);
  for (const auto& p : group.points()) {
    std::uint64_t of_members = 0;
    for (const auto& member : members)
      for (const auto& m : member.series().points())
        if (m.tick >= p.tick && m.tick < p.tick + group.ticks_per_point()) of_members += m.ios[0];
    EXPECT_EQ(p.ios[0], of_members) << p.tick;
  }
}

TEST(Series, AFewTicksKeepOnePointEach) {
  base::system::SharedArray<WorkerRecord> r(1);
  begin(r[0]);
  WorkerSeries worker;
  for (std::uint32_t tick = 1; tick <= 3; ++tick) {
    r[0].measured.done.ios[0].add(100);
    worker.sample(r[0], tick, at(tick));
  }
  const auto d = summary_of(worker.series());
  ASSERT_EQ(d.series.size(), 3u);
  EXPECT_EQ(d.series[1].time_ms, 1000u);
  EXPECT_EQ(d.series[1].interval_ms, 500u);
  EXPECT_EQ(d.iops.n, 3u);
  EXPECT_DOUBLE_EQ(d.iops.mean, 200.0);
  EXPECT_DOUBLE_EQ(d.iops.stddev, 0.0);
}

TEST(Series, AShortFirstIntervalIsJoinedToTheNext) {
  base::system::SharedArray<WorkerRecord> r(1);
  begin(r[0], at(1) - kSampleNs / 10);
  WorkerSeries worker;
  EXPECT_FALSE(worker.sample(r[0], 1, at(1)));
  EXPECT_TRUE(worker.sample(r[0], 2, at(2)));
  EXPECT_EQ(summary_of(worker.series()).series[0].interval_ms, 550u);
}

TEST(Series, NoPointBeforeTheMeasuredPhase) {
  base::system::SharedArray<WorkerRecord> r(1);
  r[0].set_phase(Phase::ramp);
  WorkerSeries worker;
  EXPECT_FALSE(worker.sample(r[0], 1, 5'000'000'000));
  EXPECT_TRUE(worker.series().points().empty());
  EXPECT_EQ(summary_of(worker.series()).bw_kib_s.n, 0u);
}

// A job that starts late is at a high tick, and still has room for all its points.
TEST(Series, ALateStartCostsNoPoints) {
  Series series;
  for (std::uint32_t tick = 1'000'000; tick < 1'000'000 + kMostPoints; ++tick)
    series.add({tick, at(tick - 1), at(tick), at(999'999), {4096}, {1}});
  EXPECT_EQ(series.points().size(), kMostPoints);
  EXPECT_EQ(series.ticks_per_point(), 1u);
  series.add({3'000'000, at(2'999'999), at(3'000'000), at(999'999), {4096}, {1}});
  EXPECT_LE(series.points().size(), kMostPoints);
  EXPECT_EQ(sums_of(summary_of(series).series).ios, kMostPoints + 1);
}

}  // namespace
}  // namespace fathom::run::records
