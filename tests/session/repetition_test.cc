// What the repetitions of --repeat draw: the first is the run without it, each other has seeds that follow from the job's.
#include "session/jobs/repetition.h"

#include <gtest/gtest.h>

#include <set>

#include "io/options/sim.h"
#include "job/command.h"

namespace fathom::session::jobs {
namespace {

using Plans = std::vector<run::files::Plan>;

Plans plans_of(std::vector<std::string> words) {
  words.insert(words.begin(), {"--name=j", "--ioengine=sim", "--size=64k"});
  auto command = job::parse_command(words, job::Environment::of_this_process());
  EXPECT_TRUE(command.ok()) << command.error().what;
  Plans plans;
  for (auto& job : command->jobs.jobs) plans.push_back({.job = std::move(job), .targets = {}, .failed = {}});
  return plans;
}

std::uint64_t sim_seed(const run::files::Plan& plan) { return plan.job.engine.of<io::SimOptions>().seed; }
std::uint64_t randseed(const run::files::Plan& plan) { return plan.job.randseed; }

TEST(Repetition, TheFirstIsTheRunWithoutIt) {
  const auto plans = plans_of({"--randseed=7", "--sim_seed=3"});
  const auto first = repetition(plans, 0);
  EXPECT_EQ(randseed(first[0]), 7u);
  EXPECT_EQ(sim_seed(first[0]), 3u);
  EXPECT_TRUE(first[0].job.seeds.empty());
}

TEST(Repetition, EachOtherHasSeedsOfItsOwnThatFollowFromTheJobs) {
  const auto plans = plans_of({});
  std::set<std::uint64_t> seeds, of_sim;
  for (unsigned i = 1; i <= 20; ++i) {
    const auto one = repetition(plans, i), again = repetition(plans, i);
    EXPECT_EQ(randseed(one[0]), randseed(again[0]));
    EXPECT_NE(randseed(one[0]), 0u) << "that is no seed";
    seeds.insert(randseed(one[0])), of_sim.insert(sim_seed(one[0]));
  }
  EXPECT_EQ(seeds.size(), 20u);
  EXPECT_EQ(of_sim.size(), 20u);
  EXPECT_NE(randseed(repetition(plans_of({"--randseed=7"}), 1)[0]), randseed(repetition(plans, 1)[0]));
}

// What stands in the result, written as options, draws the same.
TEST(Repetition, ItsSeedsMakeItAgain) {
  const auto third = repetition(plans_of({"--randseed=7", "--sim_seed=3"}), 2);
  std::vector<std::string> words;
  for (const auto& [option, value] : third[0].job.seeds) words.push_back("--" + option + "=" + value);
  ASSERT_EQ(words.size(), 2u);
  const auto again = plans_of(words);
  EXPECT_EQ(randseed(again[0]), randseed(third[0]));
  EXPECT_EQ(sim_seed(again[0]), sim_seed(third[0]));
}

TEST(Repetition, ASeedOfTheKernelsIsKnown) {
  auto plans = plans_of({"--randrepeat=0"});
  EXPECT_EQ(randseed(plans[0]), 0u);
  fix_seeds(plans);
  EXPECT_NE(randseed(plans[0]), 0u);
  EXPECT_EQ(plans[0].job.seeds.size(), 1u);
  auto other = plans_of({"--randrepeat=0"});
  fix_seeds(other);
  EXPECT_NE(randseed(plans[0]), randseed(other[0]));
  auto given = plans_of({"--randrepeat=0", "--randseed=5"});
  fix_seeds(given);
  EXPECT_EQ(randseed(given[0]), 5u);
}

TEST(Repetition, AJobThatReadsBackWhatItWroteDrawsAnew) {
  EXPECT_NE(randseed(repetition(plans_of({"--rw=randwrite", "--verify=crc32c"}), 1)[0]), 0u);
}

// Where others find what was written by its seed, it is the same in all repetitions.
TEST(Repetition, WhatIsVerifiedElsewhereKeepsItsSeed) {
  const std::vector<std::vector<std::string>> elsewhere = {
      {"--rw=randread", "--verify=crc32c"},
      {"--rw=randwrite", "--verify=crc32c", "--do_verify=0"},
      {"--rw=randwrite", "--verify=crc32c", "--verify_only"},
      {"--rw=randwrite", "--verify=crc32c", "--verify_state_save=1"},
      {"--rw=randwrite", "--verify=crc32c", "--verify_state_load=1"}};
  for (const auto& words : elsewhere) {
    const auto one = repetition(plans_of(words), 1);
    EXPECT_EQ(randseed(one[0]), 0u) << words.back();
    EXPECT_NE(sim_seed(one[0]), 1u) << "a latency finds nothing";
  }
  auto together = plans_of({"--rw=randwrite", "--verify=crc32c"});
  together.push_back(plans_of({"--rw=randread", "--verify=crc32c"})[0]);
  together.push_back(plans_of({"--rw=randread"})[0]);
  const auto one = repetition(together, 1);
  EXPECT_EQ(randseed(one[0]), 0u) << "the second reads it";
  EXPECT_EQ(randseed(one[1]), 0u);
  EXPECT_NE(randseed(one[2]), 0u) << "it verifies nothing";
}

}  // namespace
}  // namespace fathom::session::jobs
