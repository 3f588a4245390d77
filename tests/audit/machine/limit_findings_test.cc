// What is said of limits that were in force, and of tasks that were stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/machine/limit_checks.h"

namespace fathom::audit::machine {
namespace {

using testing::HasSubstr;
constexpr double kSecond_ns = 1e9;

TEST(LimitFindings, AreNoneWhereNobodyWasStoppedOrHeld) {
  EXPECT_TRUE(limit_findings({}, {}, kSecond_ns).empty());
  EXPECT_TRUE(limit_findings({{"cpu.max of /x: 50000 100000", 0.5, 0, 0}}, {}, kSecond_ns).empty());
}

TEST(LimitFindings, TellHowOftenAndHowLongTasksWereStopped) {
  const auto found = limit_findings({{"cpu.max of /x: 50000 100000", 0.5, 43, 2'150'000'000}}, {}, 10 * kSecond_ns);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "cpu.max");
  EXPECT_EQ(found[0].severity, result::Severity::warning);
  EXPECT_THAT(found[0].evidence, HasSubstr("CPU limit cpu.max of /x: 50000 100000 (0.5 CPUs)"));
  EXPECT_THAT(found[0].evidence, HasSubstr("throttled the tasks 43 times, 2.15 s in total"));
  EXPECT_THAT(found[0].remedy, HasSubstr("--cpus"));
}

TEST(LimitFindings, AHundredthOfTheTimeIsNoReasonToWarn) {
  const auto severity = [](std::uint64_t stopped_ns) {
    return limit_findings({{"x", 1, 1, stopped_ns}}, {}, kSecond_ns).at(0).severity;
  };
  EXPECT_EQ(severity(10'000'000), result::Severity::note);
  EXPECT_EQ(severity(10'000'001), result::Severity::warning);
}

TEST(StealFindings, WarnAboveAHundredthOfTheCpuTime) {
  const host::proc::CpuTimes before{.busy = 900, .total = 1000, .stolen = 7};
  const auto after = [](std::uint64_t stolen) {
    return host::proc::CpuTimes{.busy = 2800, .total = 3000, .stolen = 7 + stolen};
  };
  EXPECT_TRUE(steal_findings(before, after(0)).empty());
  EXPECT_TRUE(steal_findings(before, after(20)).empty());
  const auto found = steal_findings(before, after(21));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "cpu.steal");
  EXPECT_THAT(found[0].evidence, HasSubstr("1.1 % of the CPU time"));
  EXPECT_TRUE(steal_findings({}, {.busy = 2, .total = 10, .stolen = 1}).empty()) << "one tick";
}

TEST(LimitFindings, NameEachLimitOfIo) {
  const auto found =
      limit_findings({}, {{{"io.max of /x: 8:0 riops=500"}}, {{"io.latency of /y: 8:0 target=10"}}}, kSecond_ns);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].id, "io.limit");
  EXPECT_EQ(found[0].severity, result::Severity::note);
  EXPECT_THAT(found[0].evidence, HasSubstr("io.max of /x: 8:0 riops=500"));
}

TEST(LimitFindings, WarnOfALimitThatWasReached) {
  const host::IoLimit limit{"io.max of /x: 8:0 riops=500 wbps=1048576", {0, 1048576}, {500, 0}};
  const auto severity = [&](double read_iops, double write_bytes_per_s) {
    return limit_findings({}, {{limit}}, kSecond_ns, {{1e9, write_bytes_per_s}, {read_iops, 1e6}}).at(0).severity;
  };
  EXPECT_EQ(severity(0, 0), result::Severity::note);
  EXPECT_EQ(severity(449, 900'000), result::Severity::note);
  EXPECT_EQ(severity(450, 0), result::Severity::warning);
  EXPECT_EQ(severity(0, 1'000'000), result::Severity::warning);
  EXPECT_EQ(severity(601, 2e6), result::Severity::note) << "who is faster was not held";
  const auto found = limit_findings({}, {{limit}}, kSecond_ns, {{0, 0}, {499, 0}}).at(0);
  EXPECT_THAT(found.evidence, HasSubstr("read: 499 IOPS of 500 IOPS"));
}

TEST(LimitFindings, WarnOfALimitThatWasNotThereAllTheTime) {
  const host::IoLimit limit{"io.max of /x: 8:0 riops=500", {0, 0}, {500, 0}};
  for (const bool at_begin : {false, true}) {
    const auto found = limit_findings({}, {{limit, at_begin, !at_begin}}, kSecond_ns, {{0, 0}, {4000, 0}}).at(0);
    EXPECT_EQ(found.severity, result::Severity::warning);
    EXPECT_THAT(found.evidence, HasSubstr(at_begin ? "active at its begin only" : "active at its end only"));
  }
  const auto evidence = [&](bool at_edges) {
    return limit_findings({}, {{limit, at_edges, at_edges, false}}, kSecond_ns, {{0, 0}, {4000, 0}}).at(0).evidence;
  };
  EXPECT_THAT(evidence(true), HasSubstr("active at its begin and end only"));
  EXPECT_THAT(evidence(false), HasSubstr("active in its middle only"));
}

}  // namespace
}  // namespace fathom::audit::machine
