// Which test is made under which --clock-check, and what is kept of it.
#include "clock/fitness.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace fathom::clock {
namespace {

namespace fs = std::filesystem;

class GatherFitness : public testing::Test {
 protected:
  GatherFitness() {
    std::string pattern = (fs::temp_directory_path() / "fathom-fitness-XXXXXX").string();
    top = ::mkdtemp(pattern.data());
    cache = {{top / "fathom"}, top / "fathom", "boot-1"};
    tests.brief = [this](auto cpus, auto max_ns) {
      return ++briefs, patience_ns = max_ns, made(cpus, TestKind::brief);
    };
    tests.full = [this](auto cpus) { return ++fulls, made(cpus, TestKind::full); };
  }
  ~GatherFitness() override { fs::remove_all(top); }

  TestSummary made(std::span<const unsigned> cpus, TestKind kind) const {
    TestSummary t;
    t.outcome = outcome;
    t.kind = kind;
    t.cpus.assign(cpus.begin(), cpus.end());
    t.text = "made now";
    return t;
  }
  Fitness gather(ClockCheck check, std::vector<unsigned> cpus = {0, 1}) {
    return gather_fitness(cpus, check, tests, cache, kernel());
  }
  KernelSources kernel() const {
    std::ofstream(top / "current_clocksource") << clocksource << "\n";
    return {top / "current_clocksource", top / "none", top / "none", [] { return std::nullopt; }};
  }

  fs::path top;
  VerdictCache cache;
  ClockTests tests;
  Outcome outcome = Outcome::passed;
  int briefs = 0, fulls = 0;
  std::uint64_t patience_ns = 0;
  std::string clocksource = "tsc";
};

TEST_F(GatherFitness, WithoutAStoredVerdictRunsTheShortTestEachTime) {
  EXPECT_EQ(gather(ClockCheck::cached).test.kind, TestKind::brief);
  EXPECT_FALSE(gather(ClockCheck::cached).test.cached);
  EXPECT_EQ(briefs, 2);
  EXPECT_EQ(fulls, 0);
}

TEST_F(GatherFitness, StoresTheFullTestsVerdictForLaterRuns) {
  EXPECT_FALSE(gather(ClockCheck::full).test.cached);
  const auto later = gather(ClockCheck::cached);
  EXPECT_TRUE(later.test.cached);
  EXPECT_EQ(later.test.kind, TestKind::full);
  EXPECT_EQ(briefs, 0);
  EXPECT_EQ(fulls, 1);
  EXPECT_EQ(gather(ClockCheck::cached, {0, 1, 2}).test.kind, TestKind::brief) << "CPU 2 was not in it";
}

TEST_F(GatherFitness, FullRunsAgainDespiteAStoredVerdict) {
  gather(ClockCheck::full);
  outcome = Outcome::failed;
  EXPECT_EQ(gather(ClockCheck::full).test.outcome, Outcome::failed);
  EXPECT_EQ(gather(ClockCheck::cached).test.outcome, Outcome::failed);
}

TEST_F(GatherFitness, DoesNotStoreATestThatCouldNotRun) {
  outcome = Outcome::not_tested;
  gather(ClockCheck::full);
  outcome = Outcome::passed;
  EXPECT_EQ(gather(ClockCheck::cached).test.kind, TestKind::brief);
}

TEST_F(GatherFitness, WithoutACacheFolderRunsTheShortTestEachTime) {
  cache.write_folder = "";
  EXPECT_EQ(gather(ClockCheck::full).test.kind, TestKind::full);
  EXPECT_EQ(gather(ClockCheck::cached).test.kind, TestKind::brief);
}

TEST_F(GatherFitness, SkipRunsNoTest) {
  const auto fitness = gather(ClockCheck::skip);
  EXPECT_EQ(fitness.test.outcome, Outcome::not_tested);
  EXPECT_EQ(fitness.test.kind, TestKind::none);
  EXPECT_FALSE(fitness.test.text.empty());
  EXPECT_EQ(briefs + fulls, 0);
}

TEST_F(GatherFitness, UsesTheStoredDriftLessItsBound) {
  EXPECT_FALSE(gather(ClockCheck::skip).drift_ppm);
  ASSERT_TRUE(store_drift({150, 0.5, 1'000'000'000, 2e9}, cache).ok());
  EXPECT_EQ(gather(ClockCheck::skip).drift_ppm, 149.5) << "what was shown, its bound taken off";
  EXPECT_EQ(gather(ClockCheck::skip).drift->bound_ppm, 0.5);
  EXPECT_TRUE(choose({}, gather(ClockCheck::skip)).fell_back);
  fs::remove_all(top / "fathom");
  ASSERT_TRUE(store_drift({150, 400, 100'000, 2e9}, cache).ok());
  EXPECT_FALSE(gather(ClockCheck::skip).drift_ppm) << "150 ± 400 is not known";
}

// Where the kernel uses another clock only the test can vouch for the CPU's: on busy CPUs it gets more time.
TEST_F(GatherFitness, IsPatientWhereOnlyTheTestDecides) {
#if defined(__x86_64__)
  gather(ClockCheck::cached);
  EXPECT_EQ(patience_ns, kBriefTest_ns);
#endif
  clocksource = "kvm-clock";
  EXPECT_EQ(gather(ClockCheck::cached).kernel.clocksource, "kvm-clock");
  EXPECT_EQ(patience_ns, kPatientTest_ns);
}

}  // namespace
}  // namespace fathom::clock
