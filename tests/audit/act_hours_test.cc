// profile=act: each hour by itself, the limits strictly.
#include "audit/act_hours.h"

#include <gtest/gtest.h>

namespace fathom::audit {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

result::Run run_of(std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> ms_and_reads,
                   std::uint64_t runtime_ns) {
  result::Run run;
  result::Job job;
  job.name = "act-read-/dev/a";
  for (const auto& [ms, reads] : ms_and_reads) job.dirs[0].lat.histogram_ns.add(ms * kMs, reads);
  job.dirs[0].runtime_ns = runtime_ns;
  run.jobs.push_back(job);
  return run;
}

TEST(ActHours, AnHourPassesOnlyBelowEveryLimit) {
  EXPECT_TRUE(act_passes({4.99, 0.99, 0.09}));
  EXPECT_FALSE(act_passes({5, 0, 0}));
  EXPECT_FALSE(act_passes({0, 1, 0}));
  EXPECT_FALSE(act_passes({0, 0, 0.1}));
}

TEST(ActHours, CountsReadsLongerThanEachLimit) {
  const auto counts = act_counts(run_of({{0, 50}, {2, 30}, {10, 15}, {100, 5}}, 1).jobs[0].dirs[0].lat.histogram_ns);
  EXPECT_EQ(counts.reads, 100u);
  EXPECT_EQ(counts.late, (std::array<std::uint64_t, kActLimits>{50, 20, 5}));
  const auto late = act_late_percent({50, {50, 20, 5}}, {150, {60, 20, 5}});
  EXPECT_DOUBLE_EQ(late[0], 10);
  EXPECT_DOUBLE_EQ(late[1], 0);
}

TEST(ActHours, OneBadHourFails) {
  ActHours hours;
  EXPECT_FALSE(hours.hour_over(run_of({{0, 10}}, kActHourNs - 1)));
  EXPECT_TRUE(hours.hour_over(run_of({{0, 100}}, kActHourNs)));
  EXPECT_TRUE(hours.passed());
  EXPECT_TRUE(hours.hour_over(run_of({{0, 190}, {2, 10}}, 2 * kActHourNs)));
  EXPECT_FALSE(hours.passed()) << "10 of the 100 of this hour, though 5 % of all";
  hours.end(run_of({{0, 10'000}, {2, 10}}, 2 * kActHourNs + 1));
  EXPECT_FALSE(hours.passed());
  EXPECT_NE(hours.text().find("act: /dev/a, hour 2: > 1 ms 10.00%"), std::string::npos) << hours.text();
  EXPECT_TRUE(hours.text().ends_with("act: test complete, device(s): FAILED\n"));
}

TEST(ActHours, TextSaysPassedAndIsEmptyWithoutAJudgedHour) {
  ActHours hours;
  EXPECT_EQ(hours.text(), "");
  hours.end(run_of({{0, 100}}, kMs));
  EXPECT_TRUE(hours.text().ends_with("act: test complete, device(s): PASSED\n"));
}

}  // namespace
}  // namespace fathom::audit
