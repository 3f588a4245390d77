// The test on the real counters of this machine: it records what it says, passes, and fails when a clock is made wrong.
#include "clock/cores/cross_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "base/attempts.h"
#include "clock/sources/calibration.h"

namespace fathom::clock::cores {
namespace {

TestOptions options(std::uint32_t entries = 20'000) {
  TestOptions o;
  o.cpus = usable_cpus();
  o.entries_per_cpu = entries;
  return o;
}

#define NEEDS_TWO_CPUS() \
  if (usable_cpus().size() < 2) GTEST_SKIP() << "one CPU: there is nothing to compare"

double ticks_per_ns() { return sources::calibrate(sources::Source::cpu).ticks_per_second / 1e9; }

// The test with a clock made wrong, again while the CPUs were too busy to see that much: it must say so itself then.
std::optional<TestRun> wrong_clock(const Injection& injection, std::uint32_t entries, bool (*seen)(const TestRun&)) {
  auto o = options(entries);
  o.cpus = {o.cpus.front(), o.cpus.back()};
  o.injections = {injection};
  for (int attempt = 0; attempt < 20; ++attempt) {
    const auto run = run_test(o);
    if (!run) return std::nullopt;
    if (seen(*run)) return *run;
    if (injection.drift_ppm == 0 && outcome_of(*run) == Outcome::passed) {
      EXPECT_GT(run->findings.detectable, static_cast<std::uint64_t>(std::abs(injection.offset_ticks)))
          << text_of(*run);
    }
  }
  return std::nullopt;
}
// What was estimated of b against a holds what was injected, and no other size of it.
void expect_offset(const Pair& pair, double ticks) {
  ASSERT_EQ(pair.steadiness, Steadiness::steady);
  EXPECT_LE(std::abs(pair.offset - ticks), pair.offset_bound) << pair.offset << " +- " << pair.offset_bound;
}
// CPUs that rarely ran at the same time may show a mismatch and still tell nothing of its size.
bool estimated(const TestRun& run) {
  return run.findings.pairs.size() == 1 && run.findings.pairs[0].steadiness != Steadiness::unknown;
}
bool failed(const TestRun& run) { return outcome_of(run) == Outcome::failed && estimated(run); }
bool drifts(const TestRun& run) {
  return run.findings.pairs.size() == 1 && run.findings.pairs[0].steadiness == Steadiness::drifts;
}
constexpr const char* kBusy = "passing the sequence from CPU to CPU took longer than the injected offset, 20 times";

TEST(CrossCoreTest, EverySequenceNumberIsTakenOnce) {
  const auto recording = record(options(5'000));
  ASSERT_TRUE(recording.ok());
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < recording->streams.size(); ++i) {
    EXPECT_EQ(recording->streams[i].size(), 5'000u);
    std::uint32_t last = 0;
    for (const auto& e : recording->streams[i]) {
      EXPECT_EQ(e.cpu, usable_cpus()[i]);
      EXPECT_GE(e.sequence, last);
      last = e.sequence;
      places.push_back(e.sequence);
    }
  }
  std::sort(places.begin(), places.end());
  for (std::uint32_t i = 0; i < places.size(); ++i) ASSERT_EQ(places[i], i);
}

// None fails. What a busy machine keeps from being tested is made again, for half a minute; fewer than a hundred are
// said.
TEST(CrossCoreTest, TimedPassesAHundredTimes) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  unsigned passed = 0, not_tested = 0;
  while (passed < 100 && std::chrono::steady_clock::now() < end) {
    const auto run = run_test(options(kBriefEntries));
    ASSERT_TRUE(run.ok());
    ASSERT_EQ(run->findings.mismatches, 0u) << text_of(*run);
    (outcome_of(*run) == Outcome::passed ? passed : not_tested) += 1;
  }
  EXPECT_GT(passed, 0u) << not_tested << " times the CPUs did not run at the same time";
  if (passed > 0 && passed < 100)
    GTEST_SKIP() << passed << " passed, none failed, " << not_tested << " times the CPUs did not run at the same time";
}

TEST(CrossCoreTest, TimedAnInjectedOffsetIsDetectedWithItsSign) {
  NEEDS_TWO_CPUS();
  const double rate = ticks_per_ns();
  const unsigned last = usable_cpus().back();
  for (const double ns : {200.0, -200.0, 1000.0, -1000.0}) {
    const auto run = wrong_clock({last, static_cast<std::int64_t>(ns * rate), 0}, 20'000, failed);
    if (!run) GTEST_SKIP() << ns << " ns: " << kBusy;
    ASSERT_EQ(run->findings.pairs.size(), 1u);
    const Pair* pair = run->findings.pairs.data();
    EXPECT_GT(pair->mismatches(), 0u);
    EXPECT_EQ((ns > 0 ? pair->b_to_a : pair->a_to_b).mismatches, pair->mismatches()) << "the sign of " << ns;
    EXPECT_GT(pair->offset * ns, 0) << ns;
    expect_offset(*pair, std::trunc(ns * rate));
    EXPECT_TRUE(run->findings.at_fault.empty()) << "of two, neither";
  }
}

TEST(CrossCoreTest, TimedAnOffsetOf20NanosecondsIsWithinTheBound) {
  NEEDS_TWO_CPUS();
  const auto offset = static_cast<std::int64_t>(20 * ticks_per_ns());
  const auto compared = [](const TestRun& run) { return outcome_of(run) != Outcome::not_tested && estimated(run); };
  for (const std::int64_t sign : {1, -1}) {
    const auto run = wrong_clock({usable_cpus().back(), sign * offset, 0}, 20'000, compared);
    if (!run) GTEST_SKIP() << "the CPUs never ran at the same time";
    expect_offset(run->findings.pairs.at(0), static_cast<double>(sign * offset));
    // CPUs that pass the sequence on in less than 20 ns may see it.
    if (outcome_of(*run) == Outcome::passed) {
      EXPECT_GT(run->findings.detectable, static_cast<std::uint64_t>(offset));
    }
  }
}

TEST(CrossCoreTest, TimedInjectedDriftIsDetected) {
  NEEDS_TWO_CPUS();
  for (const double ppm : {2000.0, -2000.0}) {
    const auto run = wrong_clock({usable_cpus().back(), 0, ppm}, kFullEntries, drifts);
    if (!run) GTEST_SKIP() << ppm << " ppm: " << kBusy;
    const Pair* pair = run->findings.pairs.data();
    EXPECT_GT(pair->mismatches(), 0u);
    EXPECT_GT(pair->drift.low_ppm * ppm, 0) << text_of(*run);
    // Within 1 %: an emulated counter moves in steps of a microsecond.
    EXPECT_LE(pair->drift.low_ppm, ppm + 20) << text_of(*run);
    EXPECT_GE(pair->drift.high_ppm, ppm - 20) << text_of(*run);
  }
}

TEST(CrossCoreTest, EveryBarrierOfThisMachineGivesARecording) {
  for (const auto& b : kBarriers) {
    auto o = options(500);
    o.barrier = b.barrier;
    const auto recording = record(o);
    EXPECT_EQ(recording.ok(), b.here()) << b.name;
    if (recording) {
      EXPECT_EQ(recording->streams[0].size(), 500u) << b.name;
    }
  }
}

TEST(CrossCoreTest, TheSequenceEndsWithoutWrapping) {
  auto o = options(1'000);
  o.first_sequence = kSequenceEnd - 700;
  const auto recording = record(o);
  ASSERT_TRUE(recording.ok());
  std::size_t entries = 0;
  for (const auto& s : recording->streams) {
    entries += s.size();
    for (const auto& e : s) EXPECT_GE(e.sequence, o.first_sequence);
  }
  EXPECT_EQ(entries, std::min<std::size_t>(700, 1'000 * o.cpus.size()));
}

TEST(CrossCoreTest, EndsAtItsDeadline) {
  constexpr std::uint32_t kEntries = 1'000'000;
  auto o = options(kEntries);
  o.max_ns = 1'000'000;
  const auto recording = record(o);
  ASSERT_TRUE(recording.ok());
  for (const auto& s : recording->streams) EXPECT_LT(s.size(), kEntries);
}

TEST(CrossCoreTest, InvalidOptionsAreNamed) {
  auto o = options(100);
  o.cpus = {60'000};
  ASSERT_FALSE(record(o).ok());
  EXPECT_THAT(record(o).error().what, testing::HasSubstr("this process may not use CPU 60000"));
  EXPECT_THAT(record(o).error().help, testing::HasSubstr("allowed CPUs: "));
  o.cpus = {};
  EXPECT_FALSE(record(o).ok());
  o = options(0);
  EXPECT_FALSE(record(o).ok());
  o = options(UINT32_MAX);
  EXPECT_FALSE(record(o).ok());
}

TEST_IN_ATTEMPTS(BriefCrossCoreTest, IsShortAndNamedSo) {
  const auto s = brief_test(usable_cpus());
  EXPECT_EQ(s.kind, TestKind::brief);
  EXPECT_EQ(s.cpus, usable_cpus());
  EXPECT_NE(s.outcome, Outcome::failed) << s.text;
  EXPECT_FALSE(s.text.empty());
  EXPECT_LT(s.took_ns, 200'000'000u) << "10 ms on CPUs that are not busy";
  EXPECT_EQ(s.detectable_ticks == 0, s.outcome != Outcome::passed || s.cpus.size() == 1);
}

// A thread that nothing else can displace holds one CPU: that one is named, with what to do.
TEST_IN_ATTEMPTS(BriefCrossCoreTest, NamesABusyCpuAndTheRemedy) {
  NEEDS_TWO_CPUS();
  // Of each second the kernel gives 50 ms of a held CPU to those who wait for it: not in the window of the attempt
  // before.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const unsigned last = usable_cpus().back();
  std::atomic<int> state{0};  // 1: has the CPU, 2: may not, 3: end
  std::thread holder([&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(last, &set);
    const sched_param high{50};
    const bool may = ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set) == 0 &&
                     ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &high) == 0;
    state = may ? 1 : 2;
    while (may && state != 3) {
    }
  });
  while (state == 0) ::sched_yield();
  const bool may = state == 1;
  const auto s = may ? brief_test(usable_cpus()) : TestSummary{};
  state = 3;
  holder.join();
  if (!may) GTEST_SKIP() << "no permission for SCHED_FIFO";
  ASSERT_EQ(s.outcome, Outcome::not_tested) << s.text;
  // Other tests may keep the other CPUs busy besides: it is one of those that are named.
  EXPECT_THAT(s.text, testing::ContainsRegex("CPUs? ([0-9]+, )*" + std::to_string(last) + " .*r[ua]n .*in the 8 ms"));
  EXPECT_THAT(s.text, testing::HasSubstr("run the long test, which waits"));
  // The thread on the held CPU ends on another one. The kernel would have given it this one after 950 ms, or never.
  EXPECT_LT(s.took_ns, 500'000'000u);
}

TEST(BriefCrossCoreTest, PassesOnOneCpu) {
  const auto s = brief_test(std::vector<unsigned>{usable_cpus()[0]});
  if (s.outcome == Outcome::not_tested) GTEST_SKIP() << s.text;
  EXPECT_EQ(s.outcome, Outcome::passed);
  EXPECT_EQ(s.detectable_ticks, 0u);
  EXPECT_THAT(s.text, testing::HasSubstr("with one CPU no comparison is possible"));
}

TEST(FullCrossCoreTest, HasFewerEntriesOnlyAboveItsMemoryLimit) {
  EXPECT_EQ(full_entries(1), kFullEntries);
  EXPECT_EQ(full_entries(1342), kFullEntries);
  for (const std::size_t cpus : {1343u, 4096u, 65536u}) {
    EXPECT_LT(full_entries(cpus), kFullEntries);
    EXPECT_GT((full_entries(cpus) + 1) * cpus, kMostEntries);
    EXPECT_LE(full_entries(cpus) * cpus, kMostEntries);
  }
  TestOptions o;
  for (unsigned i = 0; i < 2000; ++i) o.cpus.push_back(i);
  o.entries_per_cpu = full_entries(o.cpus.size());
  EXPECT_EQ(summarize({}, o).kind, TestKind::full);
  --o.entries_per_cpu;
  EXPECT_EQ(summarize({}, o).kind, TestKind::brief);
}

TEST(FullCrossCoreTest, HasTheFullNumberOfEntries) {
  const auto s = full_test(usable_cpus());
  EXPECT_EQ(s.kind, TestKind::full);
  EXPECT_EQ(s.entries_per_cpu, kFullEntries);
  EXPECT_NE(s.outcome, Outcome::failed) << s.text;
}

// It may put itself before other programs meanwhile, which ends with it.
TEST(BriefTest, LeavesItsCallersPolicyAsItWas) {
  sched_param before{}, after{};
  const int policy = ::sched_getscheduler(0);
  ASSERT_EQ(::sched_getparam(0, &before), 0);
  EXPECT_NE(brief_test(usable_cpus()).outcome, Outcome::failed);
  EXPECT_EQ(::sched_getscheduler(0), policy);
  ASSERT_EQ(::sched_getparam(0, &after), 0);
  EXPECT_EQ(after.sched_priority, before.sched_priority);
}

}  // namespace
}  // namespace fathom::clock::cores
