// The command line of `fathom paging learn`.
#include "paging_job/learn.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fathom::paging_job {
namespace {

using Words = std::vector<std::string>;

TEST(LearnLine, AProcessIsWatchedForTenSeconds) {
  const auto o = parse_learn(Words{"--pid=4711", "--interval=20ms", "--output=/p", "--eta=never"});
  ASSERT_TRUE(o) << o.error().what;
  EXPECT_EQ(o->request.plan.pid, 4711);
  EXPECT_EQ(o->request.plan.duration_s, 10);
  EXPECT_EQ(o->request.plan.interval_ms, 20);
  EXPECT_TRUE(o->request.command.empty());
  EXPECT_EQ(o->report.output, "/p");
  EXPECT_EQ(o->report.eta, job::Eta::never);
}

TEST(LearnLine, ACommandUntilItEndsWithItsOwnOptions) {
  const auto o = parse_learn(Words{"--seed=3", "--", "sort", "--help", "--", "x"});
  ASSERT_TRUE(o) << o.error().what;
  EXPECT_EQ(o->request.plan.duration_s, 0);
  EXPECT_EQ(o->request.command, (Words{"sort", "--help", "--", "x"}));
  EXPECT_FALSE(o->help);
}

TEST(LearnLine, OneOfThemAndNoWords) {
  EXPECT_EQ(parse_learn(Words{}).error().what, "--pid and the command are missing");
  EXPECT_EQ(parse_learn(Words{"--pid=1", "--", "true"}).error().what, "--pid and a command exclude each other");
  EXPECT_EQ(parse_learn(Words{"sort"}).error().help, "write a command after `--`");
  EXPECT_TRUE(parse_learn(Words{"--method=list"})->list);
  EXPECT_TRUE(parse_learn(Words{"--help"})->help);
}

}  // namespace
}  // namespace fathom::paging_job
