// Who may go next in a flow: known answers.
#include "run/watch/flow_share.h"

#include <gtest/gtest.h>

namespace fathom::run::watch {
namespace {

TEST(FlowShare, OnlyAJobBeyondItsShareIsAhead) {
  EXPECT_FALSE(ahead_of_share(0, 1, 1, 2));
  EXPECT_FALSE(ahead_of_share(1, 2, 1, 2)) << "exactly its share";
  EXPECT_TRUE(ahead_of_share(2, 3, 1, 2));
  EXPECT_TRUE(ahead_of_share(1, 1, 1, 1 << 20));
}

// Both ask all the time: what they do stands as their weights.
// effect: flow flow_id
TEST(FlowShare, JobsShareByWeight) {
  job::fields::Flow heavy, light, other;  // flow=3 and flow=1 of flow_id=7, and one of another flow_id
  heavy.weight = 3, light.weight = 1, other.weight = 1;
  heavy.id = light.id = 7, other.id = 8;
  Flows flows({&heavy, &light, &other});
  for (std::size_t i = 0; i < 3; ++i) flows.join(i);
  const auto a = flows.turn(0), b = flows.turn(1), c = flows.turn(2);
  int done[3] = {};
  for (int round = 0; round < 4000; ++round) {
    done[0] += a->take() ? 1 : 0;
    done[1] += b->take() ? 1 : 0;
    done[2] += c->take() ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(done[0]) / done[1], 3, 0.02);
  EXPECT_EQ(done[2], 4000) << "alone in its flow";
}

TEST(FlowShare, AJobThatEndsTakesItsWeightOutOfTheFlow) {
  job::fields::Flow one, two, none;
  one.weight = two.weight = 5;
  Flows flows({&one, &two, &none});
  for (std::size_t i = 0; i < 3; ++i) flows.join(i);
  EXPECT_EQ(flows.turn(2), nullptr);
  const auto a = flows.turn(0);
  int done = 0;
  for (int i = 0; i < 100; ++i) done += a->take() ? 1 : 0;
  EXPECT_LE(done, 2) << "it waits for the other";
  flows.leave(1);
  flows.leave(1);
  for (int i = 0; i < 100; ++i) done += a->take() ? 1 : 0;
  EXPECT_GE(done, 100);
}

}  // namespace
}  // namespace fathom::run::watch
