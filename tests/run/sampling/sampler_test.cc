// Series of made-up counters: over hours of ticks they stay short, and their sums and the samples behind them exact.
#include "run/sampling/sampler.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/system/shared_memory.h"

namespace fathom::run::sampling {
namespace {

constexpr std::uint64_t kStart = 1'000'000'000;
constexpr std::uint32_t kTwoHours = 2 * 3600 * 2;

std::uint64_t at(std::uint32_t tick) { return kStart + tick * kSampleNs; }

void begin(records::WorkerRecord& record, std::uint64_t start_ns = kStart) {
  record.set_phase(records::Phase::running);
  record.start_ns.store(start_ns);
}

// What a worker does in a tick: never twice the same, so that a sum that leaves one out is another.
std::uint64_t ios_in(std::uint32_t tick, std::uint32_t worker) { return 1000 + tick % 977 + worker * 13; }

void work(records::WorkerRecord& record, std::uint32_t tick, std::uint32_t worker) {
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
  base::system::SharedArray<records::WorkerRecord> r(1);
  begin(r[0]);
  WorkerSeries worker;
  double mean = 0, squares = 0;
  std::uint64_t ios = 0;
  for (std::uint32_t tick = 1; tick <= kTwoHours; ++tick) {
    work(r[0], tick, 0);
    ios += ios_in(tick, 0);
    worker.sample(r[0], {}, tick, at(tick));
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
  base::system::SharedArray<records::WorkerRecord> r(kWorkers);
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
      const auto point = members[w].sample(r[w], {}, tick, at(tick));
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
  base::system::SharedArray<records::WorkerRecord> r(1);
  begin(r[0]);
  WorkerSeries worker;
  for (std::uint32_t tick = 1; tick <= 3; ++tick) {
    r[0].measured.done.ios[0].add(100);
    worker.sample(r[0], {}, tick, at(tick));
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
  base::system::SharedArray<records::WorkerRecord> r(1);
  begin(r[0], at(1) - kSampleNs / 10);
  WorkerSeries worker;
  EXPECT_FALSE(worker.sample(r[0], {}, 1, at(1)));
  EXPECT_TRUE(worker.sample(r[0], {}, 2, at(2)));
  EXPECT_EQ(summary_of(worker.series()).series[0].interval_ms, 550u);
}

TEST(Series, NoPointBeforeTheMeasuredPhase) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  r[0].set_phase(records::Phase::ramp);
  WorkerSeries worker;
  EXPECT_FALSE(worker.sample(r[0], {}, 1, 5'000'000'000));
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

// What the worker's completion path does.
void complete(records::WorkerRecord& record, std::uint64_t lat_ns, std::uint64_t times) {
  auto& dir = record.measured.dirs[0];
  record.measured.done.ios[0].add(times);
  for (std::uint64_t i = 0; i < times; ++i) dir.lat.add(dir.lat_counts, lat_ns);
}

TEST(SeriesLatencies, AreThoseOfTheirIntervalAlone) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  begin(r[0]);
  WorkerSeries worker;
  complete(r[0], 100, 2000);
  worker.sample(r[0], {}, 1, at(1));
  complete(r[0], 50, 989), complete(r[0], 101, 11);
  worker.sample(r[0], {}, 2, at(2));
  complete(r[0], 7, 99);
  worker.sample(r[0], {}, 3, at(3));
  worker.sample(r[0], {}, 4, at(4));
  const auto d = summary_of(worker.series());
  EXPECT_EQ(d.series_latency, "lat");
  ASSERT_EQ(d.series.size(), 4u);
  EXPECT_EQ(d.series[0].lat_n, 2000u);
  EXPECT_EQ(d.series[0].lat_ns_p999, 100u);
  EXPECT_EQ(d.series[1].lat_n, 1000u);
  EXPECT_EQ(d.series[1].lat_ns_p50, 50u);
  EXPECT_EQ(d.series[1].lat_ns_p99, 101u) << "and 100 of the interval before is not among them";
  EXPECT_EQ(d.series[2].lat_ns_p50, 7u);
  EXPECT_FALSE(d.series[2].lat_ns_p99) << "of 99 there is none";
  EXPECT_FALSE(d.series[2].lat_ns_p999);
  EXPECT_FALSE(d.series[3].lat_n);
  EXPECT_FALSE(d.series[3].lat_ns_p50);
}

TEST(SeriesLatencies, OfJoinedPointsAndOfWorkersAreOneHistogram) {
  base::system::SharedArray<records::WorkerRecord> r(2);
  WorkerSeries members[2];
  Series together;
  std::uint64_t slow_ios = 0;
  for (std::uint32_t w = 0; w < 2; ++w) begin(r[w]);
  for (std::uint32_t tick = 1; tick <= 2 * kMostPoints; ++tick) {
    std::optional<SamplePoint> sum;
    for (std::uint32_t w = 0; w < 2; ++w) {
      complete(r[w], 10 + w, 60);
      if (w == 0 && tick % 2 == 0) complete(r[w], 120, 3), slow_ios += 3;
      const auto point = members[w].sample(r[w], {}, tick, at(tick));
      ASSERT_TRUE(point);
      sum ? sum->merge(*point) : void(sum = point);
    }
    together.add(*sum);
  }
  const auto d = summary_of(together);
  ASSERT_EQ(d.series.size(), kMostPoints);
  std::uint64_t n = 0;
  for (const auto& p : d.series) {
    n += p.lat_n.value_or(0);
    EXPECT_EQ(p.lat_ns_p50, 11u) << "of 120 of 10 ns, 120 of 11 and 3 of 120: no mean of medians";
    EXPECT_EQ(p.lat_ns_p99, 120u) << "a percentile of each tick by itself would be 11 in every second";
  }
  EXPECT_EQ(n, 2ull * kMostPoints * 120 + slow_ios);
}

TEST(SeriesLatencies, AreOfLanesAndOfIntendedStartsWhereThoseAre) {
  base::system::SharedArray<records::WorkerRecord> r(3);
  begin(r[0]);
  for (const std::size_t lane : {1u, 2u}) {
    auto& dir = r[lane].measured.dirs[0];
    dir.lat.add(dir.lat_counts, 5);
    dir.intended.add(dir.intended_counts, lane * 20);
  }
  r[0].measured.done.ios[0].add(2);
  const records::WorkerRecord* const lanes[] = {&r[1], &r[2]};
  WorkerSeries worker;
  worker.sample(r[0], lanes, 1, at(1));
  const auto d = summary_of(worker.series());
  EXPECT_EQ(d.series_latency, "intended_lat");
  EXPECT_EQ(d.series[0].lat_n, 2u);
  EXPECT_EQ(d.series[0].lat_ns_p50, 20u);
}

// The band of a latency, by the count of the point.
const result::SeriesBand* band_of(const result::Direction& d, std::uint64_t ns) {
  for (const auto& band : d.series_bands)
    if (ns >= band.from_ns && ns < band.to_ns) return &band;
  return nullptr;
}

TEST(SeriesBands, AreTheHistogramOfEachInterval) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  begin(r[0]);
  WorkerSeries worker;
  complete(r[0], 130, 7), complete(r[0], 1'000'000, 2);
  worker.sample(r[0], {}, 1, at(1));
  worker.sample(r[0], {}, 2, at(2));
  complete(r[0], 150, 5), complete(r[0], 160, 3);
  worker.sample(r[0], {}, 3, at(3));
  const auto d = summary_of(worker.series());
  ASSERT_EQ(d.series.size(), 3u);
  ASSERT_EQ(d.series_bands.size(), 3u) << "no band is empty";
  EXPECT_EQ(band_of(d, 130), band_of(d, 150)) << "128 to 159 ns, a quarter of an octave";
  EXPECT_EQ(band_of(d, 150)->from_ns, 128u);
  EXPECT_EQ(band_of(d, 150)->to_ns, 160u);
  EXPECT_EQ(band_of(d, 150)->counts, (std::vector<std::uint64_t>{7, 0, 5}));
  EXPECT_EQ(band_of(d, 160)->counts, (std::vector<std::uint64_t>{0, 0, 3}));
  EXPECT_EQ(band_of(d, 1'000'000)->counts, (std::vector<std::uint64_t>{2, 0, 0}));
  EXPECT_LT(d.series_bands[0].from_ns, d.series_bands[1].from_ns);
}

TEST(SeriesBands, HaveEveryIoOfALongRun) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  begin(r[0]);
  WorkerSeries worker;
  for (std::uint32_t tick = 1; tick <= 2 * kMostPoints; ++tick) {
    complete(r[0], 100 * tick, 3);
    worker.sample(r[0], {}, tick, at(tick));
  }
  const auto d = summary_of(worker.series());
  std::vector<std::uint64_t> sums(d.series.size());
  for (const auto& band : d.series_bands) {
    ASSERT_EQ(band.counts.size(), d.series.size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += band.counts[i];
  }
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], d.series[i].lat_n) << i;
}

TEST(SeriesLatencies, OfManyWorkersAreOfTheirGroupAlone) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  begin(r[0]);
  WorkerSeries worker;
  worker.share_with(kMostWithOwnLatencies + 1);
  complete(r[0], 100, 10);
  const auto point = worker.sample(r[0], {}, 1, at(1));
  ASSERT_TRUE(point);
  EXPECT_EQ(point->lat[0].histogram.unpacked().total(), 10u);
  EXPECT_FALSE(summary_of(worker.series()).series[0].lat_n);
  EXPECT_EQ(summary_of(worker.series()).series_latency, "");
}

// The last interval may be one job's alone: a paced one was between two I/Os, or another has ended.
TEST(SeriesLatencies, OfJobsWithOtherOnesAreMixedWhoeverIsLast) {
  base::system::SharedArray<records::WorkerRecord> r(2);
  WorkerSeries workers[2];
  Series group;
  for (const std::size_t w : {0u, 1u}) begin(r[w]);
  const auto sample = [&](std::size_t w, std::uint32_t tick) {
    auto& dir = r[w].measured.dirs[0];
    if (w == 0)
      dir.intended.add(dir.intended_counts, 20);
    else
      dir.lat.add(dir.lat_counts, 5);
    r[w].measured.done.ios[0].add(1);
    const auto point = workers[w].sample(r[w], {}, tick, at(tick));
    ASSERT_TRUE(point);
    group.add(*point);
  };
  sample(0, 1);
  EXPECT_EQ(summary_of(group).series_latency, "intended_lat");
  sample(1, 1);
  sample(0, 2);
  EXPECT_EQ(summary_of(group).series_latency, "mixed");
}

}  // namespace
}  // namespace fathom::run::sampling
