// Series of stored runs with a known change: what is worse depends on the metric, and only the newest level counts.
#include "history/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "history/temporary_history.h"

namespace fathom::history {
namespace {

using result::HistoryState;
using ::testing::HasSubstr;

class CheckTest : public TemporaryHistory {
 protected:
  CheckTest() : store_(Store::open_to_add(path()).value()) {}
  // 12 runs of each level, with a spread of 1 %.
  void add_levels(std::initializer_list<double> levels, const std::string& job = "a") {
    for (const double level : levels)
      for (int i = 0; i < 12; ++i) {
        ++time_;
        auto entry = entry_named(job + std::to_string(time_), time_, level * (1 + 0.005 * (i % 3)), job);
        entry.parts[0].numbers[3] = 1e9 / level;
        add(store_, entry);
      }
  }
  result::HistoryCheck found(const CheckAsked& asked = {}) {
    auto check = history::check(store_, asked);
    EXPECT_TRUE(check.ok());
    return check ? *check : result::HistoryCheck();
  }
  const result::HistorySeries& series(const result::HistoryCheck& check, std::string_view metric) {
    for (const auto& one : check.series)
      if (one.metric == metric) return one;
    ADD_FAILURE() << metric;
    return check.series.front();
  }

  Store store_;
  std::uint64_t time_ = 1000;
};

TEST_F(CheckTest, LessIsWorseForARateAndMoreForATime) {
  add_levels({1000, 900});
  const auto check = found();
  ASSERT_EQ(check.series.size(), kMetrics);
  for (const auto& one : check.series) {
    EXPECT_EQ(one.state, HistoryState::worse) << one.metric;
    EXPECT_EQ(one.job, "a");
    EXPECT_EQ(one.direction, "read");
    ASSERT_EQ(one.changes.size(), 1u) << one.metric;
    EXPECT_TRUE(one.changes[0].worse);
    EXPECT_EQ(one.changes[0].before_id, 12u);
    EXPECT_EQ(one.changes[0].id, 13u);
    EXPECT_EQ(one.changes[0].before_epoch_ms, 1012u);
    EXPECT_EQ(one.changes[0].time_epoch_ms, 1013u);
    EXPECT_EQ(one.changes[0].before_runs, 12u);
    EXPECT_EQ(one.changes[0].runs, 12u);
    EXPECT_NEAR(one.changes[0].percent, one.more_is_better ? -10 : 11.1, 0.1) << one.metric;
    EXPECT_EQ(one.typical, one.changes[0].after);
    EXPECT_EQ(one.first_id, 1u);
    EXPECT_EQ(one.last_id, 24u);
  }
  EXPECT_TRUE(is_worse(check));
}

TEST_F(CheckTest, MoreIsBetterForARateAndLessForATime) {
  add_levels({900, 1000});
  for (const auto& one : found().series) EXPECT_EQ(one.state, HistoryState::better) << one.metric;
  EXPECT_FALSE(is_worse(found()));
}

TEST_F(CheckTest, OnlyTheNewestLevelDecides) {
  add_levels({1000, 800, 1000});
  const auto check = found({.metric = "iops"});
  ASSERT_EQ(check.series.size(), 1u);
  EXPECT_EQ(check.series[0].changes.size(), 2u);
  EXPECT_EQ(check.series[0].state, HistoryState::better);
  EXPECT_FALSE(is_worse(check));
}

TEST_F(CheckTest, AFlatSeriesHasNoChangeAndAShortOneIsNotJudged) {
  add_levels({1000});
  for (const auto& one : found().series) EXPECT_EQ(one.state, HistoryState::no_change) << one.metric;
  for (const auto& one : found({.filter = {.last = 5}}).series) EXPECT_EQ(one.state, HistoryState::too_few);
  EXPECT_EQ(found({.filter = {.last = 5}}).series[0].runs, 5u);
}

TEST_F(CheckTest, SelectionsLimitTheSeries) {
  add_levels({1000, 900}), add_levels({1000}, "b");
  EXPECT_EQ(found().series.size(), 2 * kMetrics);
  EXPECT_EQ(found({.filter = {.job = "b", .last = 100}}).series.size(), kMetrics);
  EXPECT_EQ(found({.direction = "write"}).series.size(), 0u);
  EXPECT_EQ(found({.filter = {.host = "other", .last = 100}}).series.size(), 0u);
  EXPECT_FALSE(is_worse(found({.since_epoch_ms = 1013}))) << "the change is before the first run";
  EXPECT_FALSE(is_worse(found({.least_change_percent = 20})));
}

TEST_F(CheckTest, UnfitRunsAreOmittedAndCounted) {
  add_levels({1000});
  auto bad = entry_named("bad", ++time_, 1);
  bad.unfit = "the run was interrupted";
  add(store_, bad);
  EXPECT_EQ(found().unfit_runs, 1u);
  const auto check = found();
  EXPECT_EQ(series(check, "iops").runs, 12u);
}

TEST_F(CheckTest, FactsThatChangedAtTheSameRunAreNamed) {
  add_levels({1000});
  for (int i = 0; i < 12; ++i) {
    ++time_;
    auto entry = entry_named("n" + std::to_string(time_), time_, 900 * (1 + 0.005 * (i % 3)));
    entry.environment[1] = "6.2", entry.workload = "randread, 8 KiB";
    add(store_, entry);
  }
  const auto check = found();
  const auto& differences = series(check, "iops").changes.at(0).differences;
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[0].name, "workload");
  EXPECT_EQ(differences[0].before, "randread, 4 KiB");
  EXPECT_EQ(differences[0].after, "randread, 8 KiB");
  EXPECT_EQ(differences[1].name, "kernel");
  EXPECT_EQ(differences[1].before, "");
  EXPECT_EQ(differences[1].after, "6.2");
}

TEST_F(CheckTest, AnUnknownJobIsAMistake) {
  add_levels({1000}, "nightly");
  const auto check = history::check(store_, {.filter = {.job = "nightyl", .last = 100}});
  ASSERT_FALSE(check.ok());
  EXPECT_THAT(check.error().what, HasSubstr("no job `nightyl`"));
  EXPECT_EQ(check.error().help, "did you mean `nightly`?");
}

TEST_F(CheckTest, AnEmptyHistoryHasNoSeries) { EXPECT_TRUE(found().series.empty()); }

}  // namespace
}  // namespace fathom::history
