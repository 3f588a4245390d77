// Whoever waits for a step goes on when it is taken, in this process and in another, and nobody after an abort.
#include "worker/steps.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/system/shared_memory.h"

namespace fathom::worker {
namespace {

TEST(Steps, ZeroedMemoryIsBeforeAnyStep) {
  base::system::SharedArray<Steps> steps(1);
  EXPECT_EQ(steps[0].at(), 0u);
  EXPECT_FALSE(steps[0].aborted());
  EXPECT_TRUE(steps[0].await(0));
}

TEST(Steps, ALaterStepCountsAsTheEarlierOne) {
  base::system::SharedArray<Steps> steps(1);
  steps[0].take(3);
  EXPECT_TRUE(steps[0].await(1));
  EXPECT_TRUE(steps[0].await(3));
}

TEST(Steps, AWaitingThreadContinuesAtTheStep) {
  base::system::SharedArray<Steps> steps(1);
  bool went_on = false;
  std::thread waiting([&] { went_on = steps[0].await(2); });
  steps[0].take(1);
  steps[0].take(2);
  waiting.join();
  EXPECT_TRUE(went_on);
}

TEST(Steps, AWaitingProcessContinuesOrSeesTheAbort) {
  for (const bool abort : {false, true}) {
    base::system::SharedArray<Steps> steps(1);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(steps[0].await(1) ? 10 : 11);
    if (abort)
      steps[0].abort();
    else
      steps[0].take(1);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), abort ? 11 : 10);
  }
}

}  // namespace
}  // namespace fathom::worker
