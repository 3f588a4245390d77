// sim: its latencies follow the distribution it was told (held against formulae that are written here, not in the
// engine), and its clock moves only when it must.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "engine/sim.h"
#include "io/options/sim.h"

namespace fathom::engine {
namespace {

constexpr double kUs = 1000;

Setup sim_setup(const char* latency, std::uint32_t depth = 1, std::uint64_t seed = 1) {
  Setup setup;
  setup.options.own.get<io::SimOptions>().latency = latency;
  setup.options.own.get<io::SimOptions>().seed = seed;
  setup.depth = depth;
  return setup;
}

io::Request read_at(std::uint64_t offset, std::uint32_t length = 4096) { return {.offset = offset, .length = length}; }

// Latencies of n I/Os one after the other.
std::vector<double> latencies(const char* text, std::size_t n, std::uint64_t seed = 1) {
  SimEngine engine;
  EXPECT_TRUE(engine.open(sim_setup(text, 1, seed)));
  std::vector<double> out;
  io::Completion done[1];
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t start = engine.clock().now_ns();
    engine.post(0, read_at(0), nullptr);
    EXPECT_EQ(engine.ring(), 1);
    EXPECT_EQ(engine.reap(1, done), 1);
    out.push_back(static_cast<double>(engine.clock().now_ns() - start));
  }
  return out;
}

struct Law {
  const char* text;
  double mean_ns, deviation_ns;
  std::function<double(double)> cdf;
};

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

std::vector<Law> laws() {
  return {
      {"uniform:10us:20us", 15 * kUs, 10 * kUs / std::sqrt(12.0),
       [](double x) { return std::clamp((x - 1e4) / 1e4, 0.0, 1.0); }},
      {"exp:100us", 100 * kUs, 100 * kUs, [](double x) { return 1 - std::exp(-x / 1e5); }},
      {"normal:100us:10us", 100 * kUs, 10 * kUs, [](double x) { return normal_cdf((x - 1e5) / 1e4); }},
      {"two:100us:10ms:1%", 199 * kUs, 9900 * kUs * std::sqrt(0.01 * 0.99),
       [](double x) { return x < 1e5   ? 0.0
                             : x < 1e7 ? 0.99
                                       : 1.0; }},
      {"two:10ms:100us:99%", 199 * kUs, 9900 * kUs * std::sqrt(0.01 * 0.99),
       [](double x) { return x < 1e5   ? 0.0
                             : x < 1e7 ? 0.99
                                       : 1.0; }},
  };
}

TEST(SimLatency, ConstIsConst) {
  for (const double ns : latencies("const:100us", 1000)) ASSERT_EQ(ns, 100 * kUs);
}

TEST(SimLatency, MeansAreThoseOfTheLaw) {
  constexpr std::size_t kN = 100'000;
  for (const Law& law : laws()) {
    const auto parsed = SimLatency::parse(law.text);
    ASSERT_TRUE(parsed) << law.text;
    EXPECT_NEAR(parsed->mean_ns(), law.mean_ns, 1e-6 * law.mean_ns) << law.text;
    double sum = 0;
    for (const double ns : latencies(law.text, kN)) sum += ns;
    EXPECT_NEAR(sum / kN, law.mean_ns, 4 * law.deviation_ns / std::sqrt(kN) + 0.5) << law.text;
  }
}

// Kolmogorov-Smirnov: the largest distance between the sample's and the law's distribution functions. 1.95 / sqrt(n) is
// exceeded once in a thousand samples; the seed is fixed.
TEST(SimLatency, DistributionIsThatOfTheLaw) {
  constexpr std::size_t kN = 20'000;
  for (const Law& law : laws()) {
    auto sample = latencies(law.text, kN);
    std::sort(sample.begin(), sample.end());
    double distance = 0;
    for (std::size_t i = 0; i < kN;) {
      std::size_t end = i;
      while (end < kN && sample[end] == sample[i]) ++end;
      distance = std::max(distance, std::abs(law.cdf(sample[i] + 0.5) - static_cast<double>(end) / kN));
      distance = std::max(distance, std::abs(law.cdf(sample[i] - 0.5) - static_cast<double>(i) / kN));
      i = end;
    }
    EXPECT_LT(distance, 1.95 / std::sqrt(kN)) << law.text;
  }
}

TEST(SimLatency, QuantilesInvertTheLaw) {
  for (const Law& law : laws()) {
    if (std::string_view(law.text).starts_with("two")) continue;  // has steps
    const auto parsed = SimLatency::parse(law.text);
    for (const double q : {0.0001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999999})
      EXPECT_NEAR(law.cdf(parsed->quantile_ns(q)), q, 1e-9) << law.text << " at " << q;
  }
  const auto two = SimLatency::parse("two:100us:10ms:1%");
  EXPECT_EQ(two->quantile_ns(0.9899), 100 * kUs);
  EXPECT_EQ(two->quantile_ns(0.9901), 10'000 * kUs);
}

TEST(SimLatency, NormalIsCutAtZero) {
  const auto wide = SimLatency::parse("normal:1us:10us");
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->quantile_ns(0.0), 0);
  double sum = 0;
  constexpr int kSteps = 1'000'000;
  for (int i = 0; i < kSteps; ++i) sum += wide->quantile_ns((i + 0.5) / kSteps);
  EXPECT_NEAR(sum / kSteps, wide->mean_ns(), 1e-3 * wide->mean_ns());
}

TEST(SimLatency, InvalidTextsAreRefusedWithAnExample) {
  const char* bad[] = {"",
                       "fast",
                       "const",
                       "const:",
                       "const:x",
                       "const:0",
                       "const:1us:2us",
                       "uniform:20us:10us",
                       "uniform:1us",
                       "exp:0us",
                       "normal:100us",
                       "two:1us:2us",
                       "two:1us:2us:3",
                       "two:1us:2us:101%",
                       "two:1us:2us:-1%",
                       "const:100us:",
                       "exp:-5us",
                       "two:0:0:1%"};
  for (const char* text : bad) {
    SimEngine engine;
    const auto opened = engine.open(sim_setup(text));
    ASSERT_FALSE(opened) << text;
    EXPECT_EQ(opened.error().kind, base::ErrorKind::usage) << text;
    EXPECT_NE(opened.error().what.find(std::string("sim_latency=") + text), std::string::npos);
    EXPECT_FALSE(opened.error().cause.empty()) << text;
    EXPECT_FALSE(opened.error().help.empty()) << text;
  }
}

TEST(SimEngine, SameSeedSameLatencies) {
  EXPECT_EQ(latencies("exp:100us", 1000, 7), latencies("exp:100us", 1000, 7));
  EXPECT_NE(latencies("exp:100us", 1000, 7), latencies("exp:100us", 1000, 8));
}

TEST(SimEngine, CompletionsComeInOrderOfTime) {
  constexpr std::uint32_t kDepth = 64;
  SimEngine engine;
  ASSERT_TRUE(engine.open(sim_setup("exp:100us", kDepth)));
  for (std::uint32_t slot = 0; slot < kDepth; ++slot) engine.post(slot, read_at(slot), nullptr);
  ASSERT_EQ(engine.ring(), static_cast<int>(kDepth));
  std::vector<bool> seen(kDepth);
  std::uint64_t last = engine.clock().now_ns();
  io::Completion out[1];
  for (std::uint32_t i = 0; i < kDepth; ++i) {
    const std::uint64_t next = engine.next_finish_ns();
    ASSERT_GE(next, last);
    ASSERT_EQ(engine.reap(1, out), 1);
    EXPECT_EQ(engine.clock().now_ns(), next);
    EXPECT_FALSE(seen[out[0].slot]);
    seen[out[0].slot] = true;
    last = next;
  }
  EXPECT_EQ(engine.next_finish_ns(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(engine.reap(1, out), 0);
}

TEST(SimEngine, EqualTimesKeepTheOrderOfSubmission) {
  SimEngine engine;
  ASSERT_TRUE(engine.open(sim_setup("const:100us", 32)));
  for (std::uint32_t slot = 0; slot < 32; ++slot) engine.post(slot, read_at(0), nullptr);
  engine.ring();
  io::Completion out[32];
  ASSERT_EQ(engine.reap(1, out), 32);  // all finish at the moment that was waited for
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i].slot, i);
}

TEST(SimEngine, ReapWithoutAMinimumDoesNotMoveTheClock) {
  SimEngine engine;
  ASSERT_TRUE(engine.open(sim_setup("const:100us", 2)));
  io::Completion out[2];
  const std::uint64_t start = engine.clock().now_ns();
  engine.post(0, read_at(0), nullptr);
  EXPECT_EQ(engine.next_finish_ns(), std::numeric_limits<std::uint64_t>::max());
  engine.ring();
  EXPECT_EQ(engine.next_finish_ns(), start + 100'000);
  EXPECT_EQ(engine.reap(0, out), 0);
  EXPECT_EQ(engine.clock().now_ns(), start);
  engine.clock().advance_to(start + 60'000);
  engine.post(1, read_at(0), nullptr);
  engine.ring();
  engine.clock().advance_to(start + 100'000);
  ASSERT_EQ(engine.reap(0, out), 1);
  EXPECT_EQ(out[0].slot, 0u);
  ASSERT_EQ(engine.reap(1, out), 1);
  EXPECT_EQ(out[0].slot, 1u);
  EXPECT_EQ(engine.clock().now_ns(), start + 160'000);
}

TEST(SimEngine, WaitingForTheThirdStopsAtTheThird) {
  SimEngine engine;
  ASSERT_TRUE(engine.open(sim_setup("uniform:10us:1s", 8)));
  for (std::uint32_t slot = 0; slot < 8; ++slot) engine.post(slot, read_at(0), nullptr);
  engine.ring();
  io::Completion out[8];
  ASSERT_EQ(engine.reap(3, out), 3);
  EXPECT_GT(engine.next_finish_ns(), engine.clock().now_ns());
  ASSERT_EQ(engine.reap(8, out), 5);
}

TEST(SimEngine, SimFailEveryFailsEveryNthIo) {
  engine::Setup setup = sim_setup("const:1us", 4);
  setup.options.own.get<io::SimOptions>().fail_every = 3;
  SimEngine engine;
  ASSERT_TRUE(engine.open(setup));
  io::Completion out[4];
  int number = 0;
  for (int round = 0; round < 25; ++round) {
    for (std::uint32_t slot = 0; slot < 4; ++slot) engine.post(slot, read_at(0, 512), nullptr);
    engine.ring();
    ASSERT_EQ(engine.reap(4, out), 4);
    for (const io::Completion& c : out) EXPECT_EQ(c.result, ++number % 3 == 0 ? -EIO : 512) << number;
  }
}

// Finishing times of I/Os that are posted together, in us.
std::vector<std::uint64_t> finishes(std::uint64_t servers, std::uint32_t n) {
  Setup setup = sim_setup("const:100us", n);
  setup.options.own.get<io::SimOptions>().servers = servers;
  SimEngine engine;
  EXPECT_TRUE(engine.open(setup));
  for (std::uint32_t slot = 0; slot < n; ++slot) engine.post(slot, read_at(0), nullptr);
  EXPECT_EQ(engine.ring(), static_cast<int>(n));
  const std::uint64_t begin = engine.clock().now_ns();
  std::vector<std::uint64_t> out;
  io::Completion done[1];
  for (std::uint32_t slot = 0; slot < n; ++slot) {
    EXPECT_EQ(engine.reap(1, done), 1);
    EXPECT_EQ(done[0].slot, slot) << "in the order of submission";
    out.push_back((engine.clock().now_ns() - begin) / 1000);
  }
  return out;
}

TEST(SimServers, WithoutALimitAllAreWorkedOnAtOnce) {
  EXPECT_EQ(finishes(0, 4), (std::vector<std::uint64_t>{100, 100, 100, 100}));
}
TEST(SimServers, OneWorksOnOneAfterTheOther) {
  EXPECT_EQ(finishes(1, 4), (std::vector<std::uint64_t>{100, 200, 300, 400}));
}
TEST(SimServers, ThreeWorkOnThree) {
  EXPECT_EQ(finishes(3, 7), (std::vector<std::uint64_t>{100, 100, 100, 200, 200, 200, 300}));
}

// Whoever comes to a free server does not wait for what was there before.
TEST(SimServers, AFreeServerBeginsAtOnce) {
  auto setup = sim_setup("const:100us", 1);
  setup.options.own.get<io::SimOptions>().servers = 1;
  SimEngine engine;
  ASSERT_TRUE(engine.open(setup));
  io::Completion done[1];
  const std::uint64_t begin = engine.clock().now_ns();
  engine.clock().advance_to(begin + 5000);
  engine.post(0, read_at(0), nullptr);
  engine.ring();
  EXPECT_EQ(engine.next_finish_ns(), begin + 105'000);
  ASSERT_EQ(engine.reap(1, done), 1);
  engine.clock().advance_to(begin + 1'000'000);
  engine.post(0, read_at(0), nullptr);
  engine.ring();
  EXPECT_EQ(engine.next_finish_ns(), begin + 1'100'000);
}

// Times in the system of I/Os that come at random moments, at `load` of what one server can do in the mean.
std::vector<double> times_in_system(double load, double service_ns, std::size_t n) {
  constexpr std::uint32_t kSlots = 1024;
  Setup setup = sim_setup("exp:100us", kSlots);
  setup.options.own.get<io::SimOptions>().servers = 1;
  SimEngine engine;
  EXPECT_TRUE(engine.open(setup));
  base::Prng arrivals(7);
  std::vector<std::uint64_t> came(kSlots);
  std::vector<double> out;
  io::Completion done[1];
  auto at_ns = static_cast<double>(engine.clock().now_ns());
  for (std::uint32_t i = 0; out.size() < n; ++i) {
    at_ns -= service_ns / load * std::log1p(-arrivals.unit());
    const auto now_ns = static_cast<std::uint64_t>(at_ns);
    while (engine.next_finish_ns() <= now_ns) {
      engine.reap(1, done);
      out.push_back(static_cast<double>(engine.clock().now_ns() - came[done[0].slot]));
    }
    engine.clock().advance_to(now_ns);
    came[i % kSlots] = now_ns;
    engine.post(i % kSlots, read_at(0), nullptr);
    engine.ring();
  }
  return out;
}

// M/M/1: it is exponential with mean service / (1 - load).
TEST(SimServers, OneWithExponentialServiceAndPoissonArrivalsIsMM1) {
  for (const double load : {0.3, 0.7}) {
    auto times = times_in_system(load, 100 * kUs, 400'000);
    const double mean = 100 * kUs / (1 - load);
    double sum = 0;
    for (const double ns : times) sum += ns;
    EXPECT_NEAR(sum / static_cast<double>(times.size()), mean, 0.03 * mean) << load;
    std::sort(times.begin(), times.end());
    for (const double p : {0.5, 0.9, 0.99}) {
      const double truth = -mean * std::log1p(-p);
      EXPECT_NEAR(times[static_cast<std::size_t>(p * static_cast<double>(times.size()))], truth, 0.04 * truth)
          << load << " p" << p;
    }
  }
}

}  // namespace
}  // namespace fathom::engine
